import type { PageChannel, PageMessage, PageState } from '../../page-state.ts';
import { ChannelHead } from '../channels/channel-head.tsx';
import type { Place } from '../place/place.ts';
import { DayDivider } from './day-divider.tsx';
import { byDay } from './days.ts';
import { EmptyChannel } from './empty-channel.tsx';
import { MessageLog } from './message-log.tsx';
import { MessageView } from './message-view.tsx';
import { useRead } from './use-read.ts';

interface Props {
  readonly state: PageState;
  readonly channel: PageChannel;
  readonly place: Place;
}

/** A channel with its messages; answers stand in their threads. */
export function Conversation({ state: { me }, channel, place }: Props) {
  const { messages } = channel;
  const roots = messages.filter(({ thread }) => thread === undefined);
  const repliesTo = ({ ts }: PageMessage): PageMessage[] =>
    messages.filter(({ thread }) => thread === ts);
  useRead(me.id, channel);
  return (
    <main class="conversation" aria-label="Conversation">
      <ChannelHead channel={channel} />
      <MessageLog
        label={channelLabel(channel)}
        of={`${me.id} ${channel.id}`}
        isSeeking={place.message !== ''}
      >
        {roots.length === 0 && <EmptyChannel channel={channel} />}
        {byDay(roots, me.timeZone, Date.now()).map((day) => [
          <DayDivider key={day.name} name={day.name} />,
          ...day.messages.map((message) => (
            <MessageView
              key={message.ts}
              channel={channel.id}
              message={message}
              replies={repliesTo(message)}
              isSought={message.ts === place.message}
            />
          )),
        ])}
      </MessageLog>
    </main>
  );
}

function channelLabel({ kind, name }: PageChannel): string {
  return kind === 'app' ? `Messages with ${name}` : `Messages in #${name}`;
}
