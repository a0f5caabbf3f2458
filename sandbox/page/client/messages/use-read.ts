import { useEffect } from 'preact/hooks';
import type { PageChannel } from '../../page-state.ts';
import { askSandbox } from '../live/ask-sandbox.ts';

/** Says that the person has looked at the channel whose messages are in front of them. */
export function useRead(user: string, { id: channel, messages, readUpTo }: PageChannel): void {
  const last = messages.at(-1)?.ts ?? '';
  const isNew = Number(last) > Number(readUpTo);
  useEffect(() => {
    // What fails here is told by the connection that is away, and tried again with the next message.
    if (isNew) void askSandbox('read', { user, channel, ts: last });
  }, [user, channel, last, isNew]);
}
