import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageMessage, PageShortcut } from '../../page-state.ts';
import { Attachments } from '../blocks/attachments.tsx';
import { Blocks } from '../blocks/blocks.tsx';
import { SurfaceContext, useNewSurface } from '../elements/surface.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { Avatar } from '../parts/avatar.tsx';
import { useKeptFocus } from '../parts/focus.ts';
import { Icon } from '../parts/icon.tsx';
import { MenuButton } from '../parts/menu-button.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { addressOf, nowhere } from '../place/place.ts';
import { useGo } from '../place/use-place.ts';
import { emojiOf } from '../text/emoji.ts';
import { Mrkdwn } from '../text/mrkdwn.tsx';
import { useReader } from '../text/reader.ts';

interface MessageViewProps {
  readonly channel: string;
  readonly message: PageMessage;
  /** Its replies; omitted in a thread, which lists them below. */
  readonly replies?: readonly PageMessage[];
  readonly shortcuts: readonly PageShortcut[];
  /** The window's address names it. */
  readonly isSought?: boolean;
}

export function MessageView({
  channel,
  message,
  replies,
  shortcuts,
  isSought = false,
}: MessageViewProps) {
  const {
    authorId,
    author,
    isApp,
    isOnlyForYou,
    isDeleted,
    blocks,
    attachments = [],
    text,
  } = message;
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
      <Avatar id={authorId} name={author} isApp={isApp} emoji={message.iconEmoji} />
      <div class="message-body">
        <MessageHeading message={message} />
        <SurfaceContext.Provider value={surface}>
          {(!blocks || message.isStreamed) && <Mrkdwn text={text} />}
          {blocks && <Blocks blocks={blocks} />}
          <Attachments attachments={attachments} />
        </SurfaceContext.Provider>
        <Trouble words={shown ?? trouble} />
        <Reactions channel={channel} message={message} onTrouble={setTrouble} />
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

/** Who wrote a message, and when. */
function MessageHeading({ message }: { message: PageMessage }) {
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

const shownFaces = 3;

interface ThreadLineProps {
  readonly parent: PageMessage;
  readonly replies: readonly PageMessage[];
}

/** The number of replies, and the link to them. */
function ThreadLine({ parent, replies }: ThreadLineProps) {
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

/** When a message was written, in the reader's time zone. */
function ClockTime({ ts }: { ts: string }) {
  const { id, names, timeZone } = useReader();
  const at = new Date(Number(ts) * 1000);
  return (
    <time
      dateTime={at.toISOString()}
      title={`${at.toLocaleString('en-GB', { timeZone })}, ${names[id] ?? 'your'}’s time (${timeZone})`}
    >
      {at.toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' })}
    </time>
  );
}

const offeredReactions = ['thumbsup', 'white_check_mark', 'eyes', 'tada', 'x'];

/** Returns why it failed, or null. A second identical reaction by the same person removes it. */
async function react(
  user: string,
  channel: string,
  { ts }: PageMessage,
  name: string,
): Promise<string | null> {
  const answered = await askSandbox('react', { user, channel, ts, name });
  return answered.ok ? null : answered.error;
}

interface ReactionsProps {
  readonly channel: string;
  readonly message: PageMessage;
  readonly onTrouble: (words: string | null) => void;
}

/** The reactions of a message, each a button that adds or removes one's own. */
function Reactions({ channel, message, onTrouble }: ReactionsProps) {
  const { id: user, names } = useReader();
  if (message.reactions.length === 0) return null;
  return (
    <div class="reactions">
      {message.reactions.map(({ name, users }) => {
        const who = users.map((id) => names[id] ?? id).join(', ');
        return (
          <button
            key={name}
            type="button"
            aria-pressed={users.includes(user)}
            title={who}
            onClick={() => void react(user, channel, message, name).then(onTrouble)}
          >
            {emojiOf(name) ?? `:${name}:`} {users.length}
            <span class="hidden">
              {' '}
              {name}: {who}
            </span>
          </button>
        );
      })}
    </div>
  );
}

interface MessageToolsProps {
  readonly channel: string;
  readonly message: PageMessage;
  readonly shortcuts: readonly PageShortcut[];
  readonly isInThread: boolean;
  readonly onTrouble: (words: string | null) => void;
}

/** The actions of a message, shown on hover and focus. */
function MessageTools({ channel, message, shortcuts, isInThread, onTrouble }: MessageToolsProps) {
  const go = useGo();
  const { id: user, app } = useReader();
  const { ts, thread = '' } = message;
  const use = async (callbackId: string): Promise<void> => {
    onTrouble(null);
    const given = await askSandbox('shortcut', { user, callbackId, message: { channel, ts } });
    if (!given.ok) onTrouble(given.error);
    else if (typeof given.body.shown === 'string') onTrouble(given.body.shown);
  };
  const copyLink = async (): Promise<void> => {
    const link = new URL(addressOf({ ...nowhere, channel, message: ts, thread }), location.href);
    await navigator.clipboard.writeText(link.href).catch(() => onTrouble(link.href));
  };
  const own = shortcuts.filter(({ type }) => type === 'message');
  return (
    <div class="message-tools">
      {!isInThread && (
        <button
          type="button"
          class="icon-button"
          aria-label="Reply in thread"
          onClick={() => go({ thread: ts, message: '' })}
        >
          <Icon name="reply" />
        </button>
      )}
      <MenuButton
        label="Add reaction"
        icon="smile"
        items={offeredReactions.map((name) => ({
          label: `${emojiOf(name)} ${name}`,
          onPick: () => void react(user, channel, message, name).then(onTrouble),
        }))}
      />
      <MenuButton
        label="More message actions"
        items={[
          ...own.map(({ callbackId, name }) => ({
            label: name,
            note: app.name,
            onPick: () => void use(callbackId),
          })),
          { label: 'Copy link', onPick: () => void copyLink() },
        ]}
      />
    </div>
  );
}
