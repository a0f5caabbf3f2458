import { useEffect, useRef } from 'preact/hooks';
import type { PageChannel, PageMessage, PageState } from '../../page-state.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { usePanel } from '../panel.ts';
import { nearDay } from '../text/date-text.ts';
import { MessageLog } from './message-log.tsx';
import { MessageView } from './message-view.tsx';

interface Props {
  readonly state: PageState;
  readonly channel: PageChannel;
  /** `ts` of the message in the window's address; empty for none. */
  readonly sought: string;
}

/** The messages of a channel by day; replies are in their threads. */
export function ChannelMessages({ state: { me, app }, channel, sought }: Props) {
  const { id, kind, name, messages } = channel;
  const roots = messages.filter(({ thread }) => thread === undefined);
  const repliesTo = ({ ts }: PageMessage): PageMessage[] =>
    messages.filter(({ thread }) => thread === ts);
  const panel = usePanel();
  const welcome = panel?.welcome.channel === id ? panel.welcome : undefined;
  const firstNew = useFirstNew(me.id, channel);
  useRead(me.id, channel);
  const label = kind === 'app' ? `Messages with ${name}` : `Messages in #${name}`;
  return (
    <MessageLog label={label} of={`${me.id} ${id}`} isSeeking={sought !== ''}>
      {welcome && roots.length <= 1 && <welcome.Content />}
      {!welcome && roots.length === 0 && <EmptyChannel app={app.name} channel={channel} />}
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

/** Messages of one day, oldest first. */
interface Day<M> {
  /** “Today”, “Monday, 3 August”, … */
  readonly name: string;
  readonly messages: readonly M[];
}

/** Messages, oldest first, grouped by the reader's days. */
function byDay<M extends { readonly ts: string }>(
  messages: readonly M[],
  timeZone: string,
  now: number,
): Day<M>[] {
  const days: { name: string; messages: M[] }[] = [];
  for (const message of messages) {
    const name = dayName(Number(message.ts) * 1000, timeZone, now);
    const last = days.at(-1);
    if (last?.name === name) last.messages.push(message);
    else days.push({ name, messages: [message] });
  }
  return days;
}

function dayName(at: number, timeZone: string, now: number): string {
  const near = nearDay(at, timeZone, now);
  if (near !== undefined) return near.charAt(0).toUpperCase() + near.slice(1);
  const form = { weekday: 'long', day: 'numeric', month: 'long', timeZone } as const;
  return new Date(at).toLocaleDateString('en-GB', form);
}

function DayDivider({ name }: { name: string }) {
  return (
    <h3 class="day">
      <span>{name}</span>
    </h3>
  );
}

/** Shown above messages that arrived while the reader was elsewhere. */
function NewDivider() {
  return (
    <p class="new-line">
      <span>New</span>
    </p>
  );
}

/** `ts` of the first message that was new when the person opened the channel; empty if none was. */
function useFirstNew(user: string, { id, messages, readUpTo }: PageChannel): string {
  const came = useRef({ to: '', firstNew: '' });
  const to = `${user} ${id}`;
  if (came.current.to !== to) {
    // On a first visit everything is new, so no line is shown.
    const isNew = ({ ts, authorId, thread }: PageMessage): boolean =>
      readUpTo !== '' && !thread && Number(ts) > Number(readUpTo) && authorId !== user;
    came.current = { to, firstNew: messages.find(isNew)?.ts ?? '' };
  }
  return came.current.firstNew;
}

/** Marks the open channel as read. */
function useRead(user: string, { id: channel, messages, readUpTo }: PageChannel): void {
  const last = messages.at(-1)?.ts ?? '';
  const isNew = Number(last) > Number(readUpTo);
  useEffect(() => {
    // A failure shows as a lost connection; the next message tries again.
    if (isNew) void askSandbox('read', { user, channel, ts: last });
  }, [user, channel, last, isNew]);
}

function EmptyChannel({ app, channel }: { app: string; channel: PageChannel }) {
  if (channel.kind === 'app') {
    return <p class="empty">{app} writes here to you alone. Nothing yet.</p>;
  }
  const away = channel.hasApp ? '' : ` ${app} is not in this channel.`;
  return <p class="empty">Nothing here yet.{away}</p>;
}
