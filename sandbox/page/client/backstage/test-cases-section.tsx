import type { PageState, PageTestProject } from '../../page-state.ts';
import type { Section } from './section.ts';

export const testCasesSection: Section = { title: 'Test cases in the service', Content: TestCases };

function TestCases({ state: { testProjects } }: { state: PageState }) {
  return (
    <>
      <p class="quiet">Write “/new-case” in a channel to create one, or several at once.</p>
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
