import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageApp, PageChannel } from '../../page-state.ts';
import { OfferList } from '../elements/offer-list.tsx';
import type { Offer } from '../elements/option-list.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { Icon } from '../parts/icon.tsx';
import { Popup } from '../parts/popup.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useReader } from '../text/reader.ts';
import { CommandHint } from './command-hint.tsx';
import { encodeWords } from './encode-words.ts';
import { ShortcutMenu } from './shortcut-menu.tsx';
import { suggestionsFor } from './suggestions.ts';

interface Props {
  readonly app: PageApp;
  readonly channel: PageChannel;
  /** `ts` of the message that is answered; empty in the channel itself. */
  readonly thread: string;
}

const mostHeight = 200;

/** Where people write: messages, and commands that begin with a slash. */
export function Composer({ app, channel, thread }: Props) {
  const reader = useReader();
  const area = useRef<HTMLTextAreaElement>(null);
  const box = useRef<HTMLFormElement>(null);
  const listId = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const [isShut, setShut] = useState(false);
  const [trouble, setTrouble] = useState('');
  const { offers, from } = suggestionsFor(text, { ...reader, commands: app.commands });
  const isOpen = offers.length > 0 && !isShut;

  useLayoutEffect(() => grow(area.current), [text]);
  const type = (words: string): void => {
    setText(words);
    setActive(0);
    setShut(false);
  };
  const pick = ({ value }: Offer): void => {
    type(text.slice(0, from) + value);
    area.current?.focus();
  };
  const send = async (): Promise<void> => {
    const words = text.trim();
    if (words === '') return;
    type('');
    setTrouble('');
    const given = await write(words);
    if (given === null) return;
    setTrouble(given);
    // What was not sent is not lost, unless something else was begun.
    setText((now) => now || text);
  };
  const write = async (words: string): Promise<string | null> => {
    const where = { user: reader.id, channel: channel.id };
    const [command = ''] = words.split(/\s/);
    if (words.startsWith('/') && thread) return `${command} is not supported in threads. Sorry!`;
    const encoded = encodeWords(words, reader.people, reader.channels);
    const answered = words.startsWith('/')
      ? await askSandbox('command', { ...where, text: words })
      : await askSandbox('say', { ...where, text: encoded, ...(thread && { threadTs: thread }) });
    return answered.ok ? null : answered.error;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key } = event;
    const offer = isOpen ? offers[active] : undefined;
    const isStep = isOpen && (key === 'ArrowDown' || key === 'ArrowUp');
    const isWhole = offer !== undefined && text === offer.value.trim();
    if (isStep)
      setActive((active + (key === 'ArrowDown' ? 1 : -1) + offers.length) % offers.length);
    else if (offer && (key === 'Tab' || (key === 'Enter' && !isWhole))) pick(offer);
    else if (key === 'Escape' && isOpen) setShut(true);
    else if (key === 'Enter' && !event.shiftKey && !event.isComposing) void send();
    else return;
    event.preventDefault();
  };
  const label = labelFor(channel, thread);
  return (
    <form
      ref={box}
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <CommandHint text={text} commands={app.commands} />
      <div class="composer-row">
        <ShortcutMenu shortcuts={app.shortcuts} onTrouble={setTrouble} />
        <textarea
          ref={area}
          rows={1}
          aria-label={label}
          aria-controls={isOpen ? listId : undefined}
          aria-autocomplete="list"
          aria-activedescendant={isOpen ? `${listId}-${active}` : undefined}
          placeholder={label}
          value={text}
          onInput={({ currentTarget }) => type(currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={() => setShut(true)}
        />
        <button
          type="submit"
          class="icon-button send"
          aria-label="Send"
          disabled={text.trim() === ''}
        >
          <Icon name="send" />
        </button>
      </div>
      <Trouble words={trouble} />
      {isOpen && (
        <Popup anchor={box} isAsWide>
          <OfferList
            id={listId}
            groups={[{ heading: '', offers }]}
            note=""
            active={active}
            chosen={[]}
            onPick={pick}
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

/** As high as its words, up to a limit. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = 'auto';
  area.style.height = `${Math.min(area.scrollHeight, mostHeight)}px`;
}
