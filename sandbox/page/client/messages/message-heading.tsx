import type { PageMessage } from '../../page-state.ts';
import { ClockTime } from './clock-time.tsx';

/** Who wrote a message, and when. */
export function MessageHeading({ message }: { message: PageMessage }) {
  return (
    <p class="message-heading">
      <strong>{message.author}</strong>
      {message.isApp && <span class="app-badge">App</span>}
      <ClockTime ts={message.ts} />
      {message.isEdited && !message.isOnlyForYou && <span>edited</span>}
      {message.isOnlyForYou && <span>Only visible to you</span>}
    </p>
  );
}
