import { useState } from 'preact/hooks';
import type { PageState } from '../../page-state.ts';
import { useAsking } from '../live/use-asking.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useGo } from '../place/go.ts';
import { type Draft, firstDraft, questionOf } from './ask-draft.ts';
import { AskMore } from './ask-more.tsx';
import type { Section } from './section.ts';

export const askSection: Section = { title: 'The automation', Content: AskForm };

/** A workflow that stops and waits for a person. */
function AskForm({ state }: { state: PageState }) {
  const go = useGo();
  const { ask, isAsking, trouble } = useAsking();
  const [draft, setDraft] = useState(firstDraft);
  const change = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const send = async (): Promise<void> => {
    const answered = await ask('ask', questionOf(draft));
    if (answered?.ok) go({ channel: 'C0DEPLOYS', message: '', thread: '', isHome: false });
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <p class="quiet">A workflow stops at an approval and waits for a person.</p>
      <label class="field">
        <span>What needs an approval?</span>
        <input
          value={draft.title}
          onInput={({ currentTarget }) => change({ title: currentTarget.value })}
        />
      </label>
      <AskMore state={state} draft={draft} onChange={change} />
      <BusyButton kind="primary" isBusy={isAsking}>
        Ask for approval
      </BusyButton>
      <Trouble words={trouble} />
    </form>
  );
}
