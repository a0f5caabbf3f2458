import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageView } from '../../page-state.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { ErrorsContext } from '../blocks/errors.ts';
import { SurfaceContext } from '../elements/surface.ts';
import { useNewSurface } from '../elements/use-new-surface.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { withEmoji } from '../text/emoji.ts';
import { useReader } from '../text/reader.ts';
import { enteredIn } from './entered-in.ts';
import { focusFirst, focusWrong } from './focus-in-form.ts';
import { problemsIn } from './problems-in.ts';

interface Props {
  readonly view: PageView;
  readonly onClose: () => void;
}

const modal = { surface: 'modal' } as const;

/** One view of a modal, from its first block to its buttons. */
export function ModalForm({ view, onClose }: Props) {
  const { blocks, errors, submit, close } = view;
  const { id: user } = useReader();
  const { surface, shown, drafts, settled } = useNewSurface(modal, view.values);
  const form = useRef<HTMLFormElement>(null);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState('');
  /** Found here; those the bot found come with the view. */
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
