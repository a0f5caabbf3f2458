import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageApp, PageChannel } from '../../page-state.ts';
import { OfferList } from '../elements/offer-list.tsx';
import { Icon } from '../parts/icon.tsx';
import { Popup } from '../parts/popup.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { CommandHint } from './command-hint.tsx';
import { ShortcutMenu } from './shortcut-menu.tsx';
import { useCompletion } from './use-completion.ts';
import { useSending } from './use-sending.ts';

interface Props {
  readonly app: PageApp;
  readonly channel: PageChannel;
  /** `ts` of the message that is answered; empty in the channel itself. */
  readonly thread: string;
}

/** Where people write: messages, and commands that begin with a slash. */
export function Composer({ app, channel, thread }: Props) {
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
    // What was not sent is not lost, unless something else was begun.
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

/** As high as its words, up to a limit. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area) return;
  area.style.height = 'auto';
  area.style.height = `${Math.min(area.scrollHeight, mostHeight)}px`;
}
