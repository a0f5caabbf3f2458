import { useAsking } from '../../page/client/live/ask-sandbox.ts';
import { BusyButton } from '../../page/client/parts/busy-button.tsx';
import { Trouble } from '../../page/client/parts/trouble.tsx';
import type {
  DemoState,
  PageProject,
  PageRequest,
  PageTestProject,
  PageWorkItem,
} from '../backstage-state.ts';
import type { Section } from './section.ts';

export const workItemsSection: Section = { title: 'Work items in the service', Content: WorkItems };

function WorkItems({ state: { projects } }: { state: DemoState }) {
  return (
    <>
      <p class="quiet">Send “/move-task OPS-12” in a channel to move an item with its sub-items.</p>
      {projects.map((project) => (
        <Project key={project.id} project={project} />
      ))}
    </>
  );
}

function Project({ project: { name, items } }: { project: PageProject }) {
  return (
    <details>
      <summary>
        {name} · {items.length === 1 ? '1 item' : `${items.length} items`}
      </summary>
      <ul class="listed">
        {items.map((item) => (
          <WorkItem key={item.id} item={item} />
        ))}
      </ul>
    </details>
  );
}

/** One item. Changing it while somebody moves it causes a conflict. */
function WorkItem({ item: { id, key, title, status, depth } }: { item: PageWorkItem }) {
  const { ask, isAsking, trouble } = useAsking();
  const change = (): void => void ask('edit-item', { item: id, title: `${title}!` });
  return (
    <li class={`depth-${Math.min(depth, 3)}`}>
      <p>
        <strong>{key}</strong> {title}
      </p>
      <p class="quiet">{status}</p>
      {depth === 0 && (
        <BusyButton kind="small" isBusy={isAsking} onPress={change}>
          Change it elsewhere
        </BusyButton>
      )}
      <Trouble words={trouble} />
    </li>
  );
}

export const testCasesSection: Section = { title: 'Test cases in the service', Content: TestCases };

function TestCases({ state: { testProjects } }: { state: DemoState }) {
  return (
    <>
      <p class="quiet">Send “/new-case” in a channel to create one or more.</p>
      {testProjects.map((project) => (
        <TestProject key={project.id} project={project} />
      ))}
    </>
  );
}

function TestProject({ project: { name, caseCount, cases } }: { project: PageTestProject }) {
  const older = caseCount - cases.length;
  return (
    <details>
      <summary>
        {name} · {caseCount === 1 ? '1 test case' : `${caseCount} test cases`}
      </summary>
      {caseCount === 0 && <p class="quiet">None yet.</p>}
      <ul class="listed" aria-label={`Test cases in ${name}, newest first`}>
        {cases.map(({ id, title, words }) => (
          <li key={id}>
            <p>
              <strong>{title}</strong>
            </p>
            <p class="quiet">{words}</p>
          </li>
        ))}
      </ul>
      {older > 0 && <p class="quiet">and {older} older</p>}
    </details>
  );
}

export const accountsSection: Section = { title: 'Accounts in the service', Content: Accounts };

function Accounts({ state: { accounts } }: { state: DemoState }) {
  const { count, shown } = accounts;
  return (
    <>
      <p class="quiet">As Ana or Dana, send “/people” in a channel to manage accounts.</p>
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

export const requestsSection: Section = { title: 'What the service received', Content: Requests };

function Requests({ state: { requests, me } }: { state: DemoState }) {
  const { name, timeZone } = me;
  if (requests.length === 0) return <p class="quiet">Nothing yet.</p>;
  return (
    <>
      <p class="quiet">
        Times are {name.split(' ')[0]}’s ({timeZone}).
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without a pointer it is scrolled by keys */}
      <ol class="requests" aria-label="Requests, newest first" tabIndex={0}>
        {requests.map((request) => (
          <Request key={request.id} request={request} timeZone={timeZone} />
        ))}
      </ol>
    </>
  );
}

interface RequestProps {
  readonly request: PageRequest;
  readonly timeZone: string;
}

function Request({ request: { method, words, answered, at }, timeZone }: RequestProps) {
  const time = new Date(at);
  const isGood = answered !== null && answered >= 200 && answered < 300;
  const kind = isGood ? 'good' : answered === null ? 'waiting' : 'bad';
  return (
    <li>
      <time dateTime={time.toISOString()}>{time.toLocaleTimeString('en-GB', { timeZone })}</time>{' '}
      <span class="method">{method}</span> <span class="words">{words}</span>{' '}
      <span class={`answered ${kind}`}>{answeredWords(answered)}</span>
    </li>
  );
}

function answeredWords(answered: number | null): string {
  if (answered === null) return '…';
  return answered === 0 ? 'no answer' : String(answered);
}
