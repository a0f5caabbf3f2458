import type { PageChannel, PageMessage, PageState } from '../../page-state.ts';
import { DayDivider } from './day-divider.tsx';
import { byDay } from './days.ts';
import { EmptyChannel } from './empty-channel.tsx';
import { MessageLog } from './message-log.tsx';
import { MessageView } from './message-view.tsx';
import { NewDivider } from './new-divider.tsx';
import { useFirstNew } from './use-first-new.ts';
import { useRead } from './use-read.ts';

interface Props {
  readonly state: PageState;
  readonly channel: PageChannel;
  /** `ts` of the message that the window was asked for; empty for none. */
  readonly sought: string;
}

/** The messages of a channel by days; answers stand in their threads. */
export function ChannelMessages({ state: { me, app }, channel, sought }: Props) {
  const { id, kind, name, messages } = channel;
  const roots = messages.filter(({ thread }) => thread === undefined);
  const repliesTo = ({ ts }: PageMessage): PageMessage[] =>
    messages.filter(({ thread }) => thread === ts);
  const firstNew = useFirstNew(me.id, channel);
  useRead(me.id, channel);
  const label = kind === 'app' ? `Messages with ${name}` : `Messages in #${name}`;
  return (
    <MessageLog label={label} of={`${me.id} ${id}`} isSeeking={sought !== ''}>
      {roots.length === 0 && <EmptyChannel channel={channel} />}
      {byDay(roots, me.timeZone, Date.now()).map((day) => [
        <DayDivider key={day.name} name={day.name} />,
        ...day.messages.flatMap((message) => [
          message.ts === firstNew && <NewDivider key="new" />,
          <MessageView
            key={message.ts}
            channel={id}
            message={message}
            replies={repliesTo(message)}
            shortcuts={app.shortcuts}
            isSought={message.ts === sought}
          />,
        ]),
      ])}
    </MessageLog>
  );
}
