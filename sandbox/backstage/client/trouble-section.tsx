import { useState } from 'preact/hooks';
import { useAsking } from '../../page/client/live/ask-sandbox.ts';
import { BusyButton } from '../../page/client/parts/busy-button.tsx';
import { ConfirmDialog } from '../../page/client/parts/dialog.tsx';
import { Trouble } from '../../page/client/parts/trouble.tsx';
import type { DemoState, Troubles } from '../backstage-state.ts';
import type { Section } from './section.ts';
import { Select } from './select.tsx';

export const troubleSection: Section = { title: 'Break things', Content: BreakForm };

const service: Readonly<Record<Troubles['service'], string>> = {
  none: 'works',
  slow: 'is slow: 3 s per request',
  down: 'is down: refuses connections',
  failing: 'fails: answers 500',
  silent: 'works, but its answers get lost',
};
const slack: Readonly<Record<Troubles['slack'], string>> = {
  none: 'works',
  busy: 'is busy: answers 429',
  down: 'is down: refuses connections',
  silent: 'works, but its answers get lost',
};

function BreakForm({ state: { troubles } }: { state: DemoState }) {
  const { ask, isAsking, trouble } = useAsking();
  const set = (change: object): void => void ask('trouble', { ...troubles, ...change });
  const isWhole = troubles.service === 'none' && troubles.slack === 'none';
  return (
    <div class="form">
      <Select
        label="The service"
        value={troubles.service}
        options={Object.entries(service)}
        onChange={(chosen) => set({ service: chosen })}
      />
      <Select
        label="Slack"
        value={troubles.slack}
        options={Object.entries(slack)}
        onChange={(chosen) => set({ slack: chosen })}
      />
      {!isWhole && (
        <BusyButton isBusy={isAsking} onPress={() => set({ service: 'none', slack: 'none' })}>
          Fix everything
        </BusyButton>
      )}
      <Trouble words={trouble} />
    </div>
  );
}

export const resetSection: Section = {
  title: 'Start over',
  Content: () => <ResetButton words="Reset the sandbox" />,
};

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const question = {
  title: plain('Start over?'),
  text: plain('This clears messages, approvals and faults in every open window.'),
  confirm: plain('Start over'),
  deny: plain('Cancel'),
  style: 'danger',
} as const;

/** Starts over, after a confirmation. */
export function ResetButton({ words, kind = '' }: { words: string; kind?: string }) {
  const { ask, isAsking, trouble } = useAsking();
  const [isSure, setSure] = useState(false);
  return (
    <div class="form">
      <BusyButton kind={kind} isBusy={isAsking} onPress={() => setSure(true)}>
        {words}
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
