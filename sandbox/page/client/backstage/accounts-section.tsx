import type { PageState } from '../../page-state.ts';
import type { Section } from './section.ts';

export const accountsSection: Section = { title: 'Accounts in the service', Content: Accounts };

function Accounts({ state: { accounts } }: { state: PageState }) {
  const { count, shown } = accounts;
  return (
    <>
      <p class="quiet">Write “/people” in a channel, as Ana or Dana, to look after them.</p>
      <details>
        <summary>{count === 1 ? '1 account' : `${count} accounts`}</summary>
        <ul class="listed" aria-label="Accounts">
          {shown.map(({ id, name, words }) => (
            <li key={id}>
              <p>
                <strong>{name}</strong>
              </p>
              <p class="quiet">{words}</p>
            </li>
          ))}
        </ul>
        {count > shown.length && <p class="quiet">and {count - shown.length} more</p>}
      </details>
    </>
  );
}
