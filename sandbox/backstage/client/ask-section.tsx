import { useState } from 'preact/hooks';
import { useAsking } from '../../page/client/live/ask-sandbox.ts';
import { BusyButton } from '../../page/client/parts/busy-button.tsx';
import { Trouble } from '../../page/client/parts/trouble.tsx';
import { useGo } from '../../page/client/place/use-place.ts';
import type { DemoState } from '../backstage-state.ts';
import { type Draft, firstDraft, messages, questionOf } from './ask-draft.ts';
import type { Section } from './section.ts';
import { Select } from './select.tsx';

export const askSection: Section = { title: 'The automation', Content: AskForm };

/** A workflow that pauses for a person's approval. */
function AskForm({ state }: { state: DemoState }) {
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
      <p class="quiet">An automation stops at an approval and waits for a decision.</p>
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

interface Props {
  readonly state: DemoState;
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** Options that most people do not change. */
function AskMore({ state: { people, routes }, draft, onChange }: Props) {
  const texts = Object.entries(messages).map(([id, { label }]) => [id, label] as const);
  return (
    <details>
      <summary>More options</summary>
      <div class="form">
        <Select
          label="Message"
          value={draft.message}
          options={texts}
          // Its options are the ids of the messages.
          onChange={(message) => onChange({ message: message as Draft['message'] })}
        />
        <label class="field">
          <span>Fields, one “Name: value” per line</span>
          <textarea
            rows={2}
            value={draft.fields}
            onInput={({ currentTarget }) => onChange({ fields: currentTarget.value })}
          />
        </label>
        {routes.length > 0 && (
          <Select
            label="Route"
            value={draft.route}
            options={[['', 'default'], ...routes.map(({ id, title }) => [id, title] as const)]}
            onChange={(route) => onChange({ route })}
          />
        )}
        <Select
          label="Approvals needed"
          value={draft.quorum}
          options={[
            ['', 'as the route says'],
            ['2', '2'],
            ['3', '3'],
          ]}
          onChange={(quorum) => onChange({ quorum })}
        />
        <Select
          label="Deadline"
          value={draft.minutes}
          options={[
            ['', 'none'],
            ['1', 'in a minute'],
            ['10', 'in 10 minutes'],
            ['1440', 'in a day'],
          ]}
          onChange={(minutes) => onChange({ minutes })}
        />
        <Select
          label="Asked by"
          value={draft.requester}
          options={[['', 'nobody'], ...people.map(({ id, name }) => [id, name] as const)]}
          onChange={(requester) => onChange({ requester })}
        />
      </div>
    </details>
  );
}
