import type { DemoState } from '../backstage-state.ts';
import { approvalsSection } from './approvals-section.tsx';
import { askSection } from './ask-section.tsx';
import { commandsSection } from './commands-section.tsx';
import type { Section } from './section.ts';
import {
  accountsSection,
  requestsSection,
  testCasesSection,
  workItemsSection,
} from './service-sections.tsx';
import { terminalSection } from './terminal-section.tsx';
import { resetSection, troubleSection } from './trouble-section.tsx';

const sections: readonly Section[] = [
  terminalSection,
  askSection,
  approvalsSection,
  requestsSection,
  commandsSection,
  workItemsSection,
  testCasesSection,
  accountsSection,
  troubleSection,
  resetSection,
];

/** What people in a workspace do not see: the automation, the service, and what can break. */
export function Backstage({ state }: { state: DemoState }) {
  return (
    <aside class="backstage" aria-label="Behind the scenes">
      <h2>Behind the scenes</h2>
      {sections.map(({ title, Content }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <Content state={state} />
        </section>
      ))}
    </aside>
  );
}
