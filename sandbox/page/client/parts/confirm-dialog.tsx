import type { ConfirmationDialog } from '@slack/types';
import { withEmoji } from '../text/emoji.ts';
import { Text } from '../text/text-object.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly question: ConfirmationDialog;
  readonly onYes: () => void;
  /** After either answer, and when it is closed. */
  readonly onEnd: () => void;
}

/** “Are you sure?”, before something is done. */
export function ConfirmDialog({ question, onYes, onEnd }: Props) {
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
