import { useEffect, useRef, useState } from 'preact/hooks';
import type { Block } from '../../../wire.ts';
import type { PageView } from '../../page-state.ts';
import { Blocks, ErrorsContext } from '../blocks/blocks.tsx';
import { type Entered, enteredOf, type Held } from '../elements/held.ts';
import { elementKey, SurfaceContext, useNewSurface } from '../elements/surface.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { Avatar } from '../parts/avatar.tsx';
import { BusyButton } from '../parts/busy-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { withEmoji } from '../text/emoji.ts';
import { useReader } from '../text/reader.ts';
import { problemsIn } from './problems-in.ts';

/** The person's open modal. A pushed view replaces the one below it in the same box. */
export function Modal({ view }: { view: PageView }) {
  const { id: user, app } = useReader();
  const [closed, setClosed] = useState('');
  const close = async (all: boolean): Promise<void> => {
    // Closes at once, before the workspace confirms it: the next press is meant for what is behind it.
    if (all || !view.isPushed) setClosed(view.id);
    const { ok } = await askSandbox('close', { user, view: view.id, all });
    if (!ok) setClosed('');
  };
  if (closed === view.id) return null;
  return (
    <Dialog
      title={withEmoji(view.title)}
      icon={<Avatar id="" name={app.name} isApp isSmall />}
      onClose={() => void close(true)}
      {...(view.isPushed && { onBack: () => void close(false) })}
    >
      <ModalForm key={view.id} view={view} onClose={() => void close(false)} />
    </Dialog>
  );
}

interface Props {
  readonly view: PageView;
  readonly onClose: () => void;
}

const modal = { surface: 'modal' } as const;

/** One view of a modal, from its first block to its buttons. */
function ModalForm({ view, onClose }: Props) {
  const { blocks, errors, submit, close } = view;
  const { id: user } = useReader();
  const { surface, shown, drafts, settled } = useNewSurface(modal, view.values);
  const form = useRef<HTMLFormElement>(null);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState('');
  /** Errors found here; the app's errors are part of the view. */
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});

  useEffect(() => focusFirst(form.current), [view.hash]);
  useEffect(() => focusWrong(form.current), [problems, errors]);

  const send = async (): Promise<void> => {
    const found = problemsIn(blocks, surface.held);
    setProblems(found);
    if (isSending || submit === null || Object.keys(found).length > 0) return;
    setSending(true);
    setFailure('');
    await settled();
    const given = await askSandbox('submit', { user, values: enteredIn(blocks, drafts) });
    setSending(false);
    if (!given.ok) setFailure(given.error);
    else if (typeof given.body.shown === 'string') setFailure(given.body.shown);
  };
  return (
    <form
      ref={form}
      class="modal-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="dialog-body" tabIndex={-1}>
        <SurfaceContext.Provider value={surface}>
          <ErrorsContext.Provider value={{ ...errors, ...problems }}>
            <Blocks blocks={blocks} />
          </ErrorsContext.Provider>
        </SurfaceContext.Provider>
      </div>
      <div class="dialog-foot">
        <Trouble words={failure || shown} />
        <button type="button" class="button" onClick={() => void settled().then(onClose)}>
          {withEmoji(close ?? 'Close')}
        </button>
        {submit !== null && (
          <BusyButton kind="primary" isBusy={isSending}>
            {withEmoji(submit)}
          </BusyButton>
        )}
      </div>
    </form>
  );
}

interface Placed {
  readonly key: string;
  readonly type: string;
}

/** Values of inputs that still exist: an update may have removed some. */
function enteredIn(
  blocks: readonly Block[],
  drafts: ReadonlyMap<string, Held>,
): Record<string, Entered> {
  const entries = blocks.flatMap(elementsIn).flatMap(({ key, type }) => {
    const held = drafts.get(key);
    return held === undefined || type === 'overflow' ? [] : [[key, enteredOf(held, type)] as const];
  });
  return Object.fromEntries(entries);
}

function elementsIn(block: Block): Placed[] {
  // The workspace validated every block before storing it: these members hold elements.
  const {
    elements = [],
    accessory,
    element,
  } = block as {
    elements?: readonly Block[];
    accessory?: Block;
    element?: Block;
  };
  return [...elements, accessory, element].flatMap((each) =>
    each === undefined || typeof each.action_id !== 'string'
      ? []
      : [{ key: elementKey(block.block_id, each.action_id), type: each.type }],
  );
}

const inputs = 'input, textarea, select';

/** Focuses the first input, unless the person has already started. */
function focusFirst(form: HTMLElement | null): void {
  const isBegun = document.activeElement?.matches(inputs) && form?.contains(document.activeElement);
  if (!form || isBegun) return;
  const first =
    form.querySelector<HTMLElement>('[data-first] :is(input, textarea, select)') ??
    form.querySelector<HTMLElement>(inputs) ??
    form.querySelector<HTMLElement>('.dialog-body');
  first?.focus({ preventScroll: true });
}

/** Focuses the first input that has an error. */
function focusWrong(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>(`.wrong :is(${inputs})`)?.focus();
}
