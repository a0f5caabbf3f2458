import type { PageChannel } from '../../page-state.ts';
import { useReader } from '../text/reader.ts';
import { ChannelName } from './channel-name.tsx';
import { unreadIn } from './unread.ts';

interface Props {
  readonly channel: PageChannel;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

/** The way to a channel; bold while something in it is new, with a number when it is for the person. */
export function ChannelLink({ channel, isOpen, onOpen }: Props) {
  const { id } = useReader();
  const { messages, forYou } = unreadIn(channel, id);
  const isNew = messages > 0 && !isOpen;
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
