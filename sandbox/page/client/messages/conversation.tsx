import type { PageChannel, PageState } from '../../page-state.ts';
import { ChannelName } from '../channels/channel-name.tsx';
import { Composer } from '../composer/composer.tsx';
import type { Place } from '../place/place.ts';
import { useGo } from '../place/use-place.ts';
import { HomeTab } from '../views/home-tab.tsx';
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

function ChannelHead({ channel }: { channel: PageChannel }) {
  const { kind, memberCount } = channel;
  return (
    <header class="pane-head">
      <h2>
        <ChannelName channel={channel} />
      </h2>
      {kind !== 'app' && <p class="quiet">{memberCount} members</p>}
    </header>
  );
}

/** The bot's own pages. */
function AppTabs({ isHome }: { isHome: boolean }) {
  const go = useGo();
  const tab = (words: string, isOpen: boolean) => (
    <button
      type="button"
      aria-current={isOpen ? 'page' : undefined}
      onClick={() => go({ isHome: words === 'Home', message: '', thread: '' })}
    >
      {words}
    </button>
  );
  return (
    <nav class="app-tabs" aria-label="Gatepost">
      {tab('Home', isHome)}
      {tab('Messages', !isHome)}
    </nav>
  );
}
