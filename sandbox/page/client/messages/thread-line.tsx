import type { PageMessage } from '../../page-state.ts';
import { Avatar } from '../people/avatar.tsx';
import { useGo } from '../place/go.ts';
import { ClockTime } from './clock-time.tsx';

const shownFaces = 3;

interface Props {
  readonly parent: PageMessage;
  readonly replies: readonly PageMessage[];
}

/** How many answered, and the way to their answers. */
export function ThreadLine({ parent, replies }: Props) {
  const go = useGo();
  const last = replies.at(-1);
  const authors = [...new Map(replies.map((reply) => [reply.authorId, reply])).values()];
  return (
    <button type="button" class="thread-line" onClick={() => go({ thread: parent.ts })}>
      {authors.slice(0, shownFaces).map(({ authorId, author, isApp }) => (
        <Avatar key={authorId} id={authorId} name={author} isApp={isApp} isSmall />
      ))}
      <span class="thread-count">
        {replies.length === 1 ? '1 reply' : `${replies.length} replies`}
      </span>
      {last && (
        <span class="thread-last">
          Last at <ClockTime ts={last.ts} />
        </span>
      )}
    </button>
  );
}
