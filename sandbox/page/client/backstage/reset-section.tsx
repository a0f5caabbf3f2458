import { useState } from 'preact/hooks';
import { useAsking } from '../live/use-asking.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Trouble } from '../parts/trouble.tsx';
import type { Section } from './section.ts';

export const resetSection: Section = { title: 'From the beginning', Content: Reset };

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const question = {
  title: plain('Begin again?'),
  text: plain('Messages, approvals and everything that was broken are gone then, for everybody.'),
  confirm: plain('Begin again'),
  deny: plain('Keep everything'),
  style: 'danger',
} as const;

function Reset() {
  const { ask, isAsking, trouble } = useAsking();
  const [isSure, setSure] = useState(false);
  return (
    <div class="form">
      <BusyButton isBusy={isAsking} onPress={() => setSure(true)}>
        Reset the sandbox
      </BusyButton>
      {isSure && (
        <ConfirmDialog
          question={question}
          onYes={() => void ask('reset', {})}
          onEnd={() => setSure(false)}
        />
      )}
      <Trouble words={trouble} />
    </div>
  );
}
