import { useRef } from 'preact/hooks';
import type { PageChannel, PageMessage } from '../../page-state.ts';

/** `ts` of the first message that was new when the person came to the channel; empty when none was. */
export function useFirstNew(user: string, { id, messages, readUpTo }: PageChannel): string {
  const came = useRef({ to: '', firstNew: '' });
  const to = `${user} ${id}`;
  if (came.current.to !== to) {
    // Who comes for the first time finds everything new: no line tells them.
    const isNew = ({ ts, authorId, thread }: PageMessage): boolean =>
      readUpTo !== '' && !thread && Number(ts) > Number(readUpTo) && authorId !== user;
    came.current = { to, firstNew: messages.find(isNew)?.ts ?? '' };
  }
  return came.current.firstNew;
}
