import type { PageState } from '../../page-state.ts';
import { accountsSection } from './accounts-section.tsx';
import { approvalsSection } from './approvals-section.tsx';
import { askSection } from './ask-section.tsx';
import { requestsSection } from './requests-section.tsx';
import { resetSection } from './reset-section.tsx';
import type { Section } from './section.ts';
import { testCasesSection } from './test-cases-section.tsx';
import { troubleSection } from './trouble-section.tsx';
import { workItemsSection } from './work-items-section.tsx';

const sections: readonly Section[] = [
  askSection,
  approvalsSection,
  requestsSection,
  workItemsSection,
  testCasesSection,
  accountsSection,
  troubleSection,
  resetSection,
];

/** What people in a workspace do not see: the automation, the service, and what can break. */
export function Backstage({ state }: { state: PageState }) {
  return (
    <aside class="backstage" aria-label="Behind the scenes">
      {sections.map(({ title, Content }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <Content state={state} />
        </section>
      ))}
    </aside>
  );
}
