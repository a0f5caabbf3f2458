import type { PageChannel, PageState } from '../../page-state.ts';
import { useGo } from '../place/use-place.ts';
import { useReader } from '../text/reader.ts';
import { ChannelName } from './channel-name.tsx';

interface SidebarProps {
  readonly state: PageState;
  readonly openId: string;
  /** The app's Home tab is shown instead of its messages. */
  readonly isHome: boolean;
}

/** All channels of the person. */
export function Sidebar({ state: { channels }, openId, isHome }: SidebarProps) {
  const go = useGo();
  const link = (channel: PageChannel) => (
    <li key={channel.id}>
      <ChannelLink
        channel={channel}
        isOpen={channel.id === openId}
        isRead={channel.id === openId && !isHome}
        onOpen={() => go({ channel: channel.id, message: '', thread: '', isHome: false })}
      />
    </li>
  );
  return (
    <nav class="sidebar" aria-label="Workspace">
      <h2 id="channels">Channels</h2>
      <ul aria-labelledby="channels">{channels.filter(({ kind }) => kind !== 'app').map(link)}</ul>
      <h2 id="apps">Apps</h2>
      <ul aria-labelledby="apps">{channels.filter(({ kind }) => kind === 'app').map(link)}</ul>
    </nav>
  );
}

interface ChannelLinkProps {
  readonly channel: PageChannel;
  readonly isOpen: boolean;
  /** New messages count as read immediately. */
  readonly isRead: boolean;
  readonly onOpen: () => void;
}

/** The link to a channel: bold if something is new, with a count if it is for the person. */
function ChannelLink({ channel, isOpen, isRead, onOpen }: ChannelLinkProps) {
  const { id } = useReader();
  const { messages, forYou } = unreadIn(channel, id);
  const isNew = messages > 0 && !isRead;
  return (
    <button
      type="button"
      class={isNew ? 'channel-link new' : 'channel-link'}
      aria-current={isOpen ? 'page' : undefined}
      onClick={onOpen}
    >
      <ChannelName channel={channel} />
      {isNew && forYou === 0 && <span class="hidden">new messages</span>}
      {isNew && forYou > 0 && (
        <span class="count">
          {forYou}
          <span class="hidden"> for you</span>
        </span>
      )}
    </button>
  );
}

interface Unread {
  readonly messages: number;
  /** Those for the person: they are mentioned, or it is their direct channel. */
  readonly forYou: number;
}

/** What the person has not read in a channel. */
export function unreadIn({ messages, readUpTo, kind }: PageChannel, me: string): Unread {
  const fresh = messages.filter(
    ({ ts, authorId }) => Number(ts) > Number(readUpTo) && authorId !== me,
  );
  const forYou = fresh.filter(
    ({ mentionsYou, isOnlyForYou }) => mentionsYou || isOnlyForYou || kind === 'app',
  );
  return { messages: fresh.length, forYou: forYou.length };
}
