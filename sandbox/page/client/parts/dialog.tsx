import type { ConfirmationDialog } from '@slack/types';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import { Text } from '../text/mrkdwn.tsx';
import { useFocusReturn } from './focus.ts';
import { Icon } from './icon.tsx';

interface DialogProps {
  readonly title: string;
  /** Before the title. */
  readonly icon?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Called for Escape and the close button. */
  readonly onClose: () => void;
  /** Back to the view below, if there is one. */
  readonly onBack?: () => void;
}

/** A modal box. The browser keeps the focus inside. */
export function Dialog({ title, icon, children, onClose, onBack }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useFocusReturn();
  useLayoutEffect(() => {
    const shown = box.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={box}
      class="dialog"
      aria-labelledby={titleId}
      // Not `cancel`: the browser skips that if the person has done nothing since the last one. Unmounting
      // closes the dialog too.
      onClose={() => {
        if (box.current) onClose();
      }}
    >
      <header class="dialog-head">
        {onBack && (
          <button type="button" class="icon-button" aria-label="Back" onClick={onBack}>
            <Icon name="back" />
          </button>
        )}
        {icon}
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmDialogProps {
  readonly question: ConfirmationDialog;
  readonly onYes: () => void;
  /** After either answer, and when it is closed. */
  readonly onEnd: () => void;
}

/** “Are you sure?”, before an action. */
export function ConfirmDialog({ question, onYes, onEnd }: ConfirmDialogProps) {
  const yes = (): void => {
    onEnd();
    onYes();
  };
  return (
    <Dialog title={withEmoji(question.title?.text ?? '')} onClose={onEnd}>
      <div class="dialog-body">
        <Text of={question.text} />
      </div>
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onEnd}>
          {withEmoji(question.deny?.text ?? 'Cancel')}
        </button>
        <button type="button" class={`button ${question.style ?? 'primary'}`} onClick={yes}>
          {withEmoji(question.confirm?.text ?? 'Yes')}
        </button>
      </div>
    </Dialog>
  );
}
