import type { PageChannel, PageState } from '../../page-state.ts';
import { ChannelName } from '../channels/channel-name.tsx';
import { Composer } from '../composer/composer.tsx';
import { HomeTab } from '../views/home-tab.tsx';
import { AppTabs } from './app-tabs.tsx';
import { ChannelMessages } from './channel-messages.tsx';

interface MessagesProps {
  readonly state: PageState;
  readonly channel: PageChannel;
  /** `ts` of the message in the window's address; empty for none. */
  readonly sought: string;
}

interface Props extends MessagesProps {
  /** The app's Home tab is shown instead of its messages. */
  readonly isHome: boolean;
}

/** The middle pane: a channel, or a tab of the app. */
export function Conversation({ state, channel, sought, isHome }: Props) {
  const { app, me, begunAt } = state;
  const messages = <Messages state={state} channel={channel} sought={sought} />;
  return (
    <main class="conversation" aria-label="Conversation">
      <ChannelHead channel={channel} />
      {channel.kind === 'app' && app.hasHome ? (
        <AppTabs name={app.name} isHome={isHome}>
          {isHome ? <HomeTab key={`${me.id} ${begunAt}`} state={state} /> : messages}
        </AppTabs>
      ) : (
        messages
      )}
    </main>
  );
}

/** The messages of a channel, and the composer. */
function Messages({ state, channel, sought }: MessagesProps) {
  const { app, me } = state;
  return (
    <>
      <ChannelMessages state={state} channel={channel} sought={sought} />
      {channel.kind === 'app' && !app.takesMessages ? (
        <p class="no-composer">Sending messages to this app has been turned off.</p>
      ) : (
        <Composer key={`${me.id} ${channel.id}`} app={app} channel={channel} thread="" />
      )}
    </>
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
