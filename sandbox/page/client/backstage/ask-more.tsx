import type { PageState } from '../../page-state.ts';
import { type Draft, messages } from './ask-draft.ts';
import { Select } from './select.tsx';

interface Props {
  readonly state: PageState;
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** What most people leave as it is. */
export function AskMore({ state: { people, routes }, draft, onChange }: Props) {
  const texts = Object.entries(messages).map(([id, { label }]) => [id, label] as const);
  return (
    <details>
      <summary>More about it</summary>
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
            options={[['', 'none named'], ...routes.map(({ id, title }) => [id, title] as const)]}
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
