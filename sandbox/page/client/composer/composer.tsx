import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageApp, PageChannel, PageCommand, PageShortcut } from '../../page-state.ts';
import { OfferList } from '../elements/offer-list.tsx';
import { askSandbox } from '../live/ask-sandbox.ts';
import { Icon } from '../parts/icon.tsx';
import { MenuButton } from '../parts/menu-button.tsx';
import { Popup } from '../parts/popup.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useReader } from '../text/reader.ts';
import { encodeWords } from './encode-words.ts';
import { useCompletion } from './use-completion.ts';

interface ComposerProps {
  readonly app: PageApp;
  readonly channel: PageChannel;
  /** `ts` of the thread's parent; empty in the channel itself. */
  readonly thread: string;
}

/** The input for messages and slash commands. */
export function Composer({ app, channel, thread }: ComposerProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const frame = useRef<HTMLFormElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const { send, trouble, setTrouble } = useSending(channel.id, thread);
  const completion = useCompletion(text, setText, app.commands);
  const { isOpen, active, offers } = completion;
  useLayoutEffect(() => grow(area.current), [text]);

  const submit = async (): Promise<void> => {
    if (text.trim() === '') return;
    completion.type('');
    const isSent = await send(text.trim());
    // Restores what was not sent, unless the person typed something else.
    if (!isSent) setText((now) => now || text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isSend = event.key === 'Enter' && !event.shiftKey && !event.isComposing;
    if (completion.takeKey(event.key)) event.preventDefault();
    else if (isSend) {
      event.preventDefault();
      void submit();
    }
  };
  const label = labelFor(channel, thread);
  return (
    <form
      ref={frame}
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <CommandHint text={text} commands={app.commands} />
      <div class="composer-row">
        <ShortcutMenu channel={channel.id} shortcuts={app.shortcuts} onTrouble={setTrouble} />
        <textarea
          ref={area}
          rows={1}
          aria-label={label}
          aria-controls={isOpen ? listId : undefined}
          aria-autocomplete="list"
          aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
          placeholder={label}
          value={text}
          onInput={({ currentTarget }) => completion.type(currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={completion.shut}
        />
        <button type="submit" class="icon-button send" aria-label="Send" disabled={!text.trim()}>
          <Icon name="send" />
        </button>
      </div>
      <Trouble words={trouble} />
      {isOpen && (
        <Popup anchor={frame} isAsWide>
          <OfferList
            id={listId}
            groups={[{ heading: '', offers }]}
            note=""
            active={active}
            chosen={[]}
            onPick={completion.pick}
          />
        </Popup>
      )}
    </form>
  );
}

function labelFor({ kind, name }: PageChannel, thread: string): string {
  if (thread) return 'Reply…';
  return kind === 'app' ? `Message ${name}` : `Message #${name}`;
}

const mostHeight = 200;

/** As high as its text, up to a limit. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = 'auto';
  // It has no height yet behind another pane of a narrow window.
  if (area.scrollHeight > 0) area.style.height = `${Math.min(area.scrollHeight, mostHeight)}px`;
}

interface CommandHintProps {
  readonly text: string;
  readonly commands: readonly PageCommand[];
}

/** The usage hint of the typed command. */
function CommandHint({ text, commands }: CommandHintProps) {
  const known = commands.find(({ command }) => text.startsWith(`${command} `));
  const words = known && [known.command, known.usageHint].filter(Boolean).join(' ');
  return (
    <p class="command-hint" role="status">
      {words && (
        <>
          <strong>{words}</strong> {known.description}
        </>
      )}
    </p>
  );
}

/** Sends messages and commands to a channel, or replies to a thread if its `ts` is not empty. */
function useSending(channel: string, thread: string) {
  const { id: user, mentionable, channels } = useReader();
  const [trouble, setTrouble] = useState('');

  const ask = async (words: string): Promise<string> => {
    const where = { user, channel };
    const [command = ''] = words.split(/\s/);
    if (!words.startsWith('/')) {
      const text = encodeWords(words, mentionable, channels);
      const said = await askSandbox('say', { ...where, text, ...(thread && { threadTs: thread }) });
      return said.ok ? '' : said.error;
    }
    if (thread) return `${command} is not supported in threads. Sorry!`;
    const done = await askSandbox('command', { ...where, text: words });
    return done.ok ? '' : done.error;
  };
  /** Whether it was sent. */
  const send = async (words: string): Promise<boolean> => {
    setTrouble('');
    const why = await ask(words);
    setTrouble(why);
    return why === '';
  };
  return { send, trouble, setTrouble };
}

interface ShortcutMenuProps {
  readonly channel: string;
  readonly shortcuts: readonly PageShortcut[];
  readonly onTrouble: (words: string) => void;
}

/** The app's global shortcuts; nothing if it has none. */
function ShortcutMenu({ channel, shortcuts, onTrouble }: ShortcutMenuProps) {
  const { id: user } = useReader();
  const global = shortcuts.filter(({ type }) => type === 'global');
  if (global.length === 0) return null;
  const use = async (callbackId: string): Promise<void> => {
    onTrouble('');
    const given = await askSandbox('shortcut', { user, callbackId, channel });
    if (!given.ok) onTrouble(given.error);
    else if (typeof given.body.shown === 'string') onTrouble(given.body.shown);
  };
  return (
    <MenuButton
      label="Shortcuts"
      icon="bolt"
      items={global.map(({ callbackId, name, description }) => ({
        label: name,
        note: description,
        onPick: () => void use(callbackId),
      }))}
    />
  );
}
