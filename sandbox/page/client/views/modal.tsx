import type { PageView } from '../../page-state.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { withEmoji } from '../text/emoji.ts';
import { useReader } from '../text/reader.ts';
import { ModalForm } from './modal-form.tsx';

/** The modal that lies before the person. One that lies upon another takes its place in the same box. */
export function Modal({ view }: { view: PageView }) {
  const { id: user } = useReader();
  // What goes wrong here is a modal that is closed already.
  const close = (all: boolean): void => void askSandbox('close', { user, all });
  return (
    <Dialog
      title={withEmoji(view.title)}
      icon={<Avatar id="" name="Gatepost" isApp isSmall />}
      onClose={() => close(true)}
      {...(view.isPushed && { onBack: () => close(false) })}
    >
      <ModalForm key={view.id} view={view} onClose={() => close(false)} />
    </Dialog>
  );
}
