import type { PageChannel, PageState } from '../../page-state.ts';
import { ChannelHead } from '../channels/channel-head.tsx';
import { Composer } from '../composer/composer.tsx';
import { AppTabs } from '../home/app-tabs.tsx';
import { HomeTab } from '../home/home-tab.tsx';
import type { Place } from '../place/place.ts';
import { ChannelMessages } from './channel-messages.tsx';

interface Props {
  readonly state: PageState;
  readonly channel: PageChannel;
  readonly place: Place;
}

/** What is in the middle: a channel, or a page of the bot. */
export function Conversation({ state, channel, place }: Props) {
  const { app, me } = state;
  const hasTabs = channel.kind === 'app' && app.hasHome;
  return (
    <main class="conversation" aria-label="Conversation">
      <ChannelHead channel={channel} />
      {hasTabs && <AppTabs isHome={place.isHome} />}
      {hasTabs && place.isHome ? (
        <HomeTab key={me.id} state={state} />
      ) : (
        <>
          <ChannelMessages state={state} channel={channel} sought={place.message} />
          {channel.kind === 'app' && !app.takesMessages ? (
            <p class="no-composer">Sending messages to this app has been turned off.</p>
          ) : (
            <Composer key={`${me.id} ${channel.id}`} app={app} channel={channel} thread="" />
          )}
        </>
      )}
    </main>
  );
}
