import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageMessage, PageShortcut } from '../../page-state.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { SurfaceContext } from '../elements/surface.ts';
import { useNewSurface } from '../elements/use-new-surface.ts';
import { Trouble } from '../parts/trouble.tsx';
import { useKeptFocus } from '../parts/use-kept-focus.ts';
import { Avatar } from '../people/avatar.tsx';
import { Mrkdwn } from '../text/mrkdwn.tsx';
import { MessageHeading } from './message-heading.tsx';
import { MessageTools } from './message-tools.tsx';
import { ThreadLine } from './thread-line.tsx';

interface Props {
  readonly channel: string;
  readonly message: PageMessage;
  /** Answers to it; not there in a thread, where they stand below it anyway. */
  readonly replies?: readonly PageMessage[];
  readonly shortcuts: readonly PageShortcut[];
  /** The window was asked to show it. */
  readonly isSought?: boolean;
}

export function MessageView({ channel, message, replies, shortcuts, isSought = false }: Props) {
  const { authorId, author, isApp, isOnlyForYou, isDeleted, blocks, text } = message;
  const { surface, shown } = useNewSurface({ channel, ts: message.ts }, {});
  const [trouble, setTrouble] = useState<string | null>(null);
  const article = useRef<HTMLElement>(null);
  useKeptFocus(article);
  useEffect(() => {
    if (isSought) article.current?.scrollIntoView({ block: 'center' });
  }, [isSought]);
  const kinds = ['message', isOnlyForYou && 'only-you', isSought && 'sought', isDeleted && 'gone'];
  return (
    <article ref={article} class={kinds.filter(Boolean).join(' ')} tabIndex={-1}>
      <Avatar id={authorId} name={author} isApp={isApp} />
      <div class="message-body">
        <MessageHeading message={message} />
        <SurfaceContext.Provider value={surface}>
          {blocks ? <Blocks blocks={blocks} /> : <Mrkdwn text={text} />}
        </SurfaceContext.Provider>
        <Trouble words={shown ?? trouble} />
        {replies && replies.length > 0 && <ThreadLine parent={message} replies={replies} />}
      </div>
      {!isOnlyForYou && !isDeleted && (
        <MessageTools
          channel={channel}
          message={message}
          shortcuts={shortcuts}
          isInThread={replies === undefined}
          onTrouble={setTrouble}
        />
      )}
    </article>
  );
}
