import type { PageState } from '../../page-state.ts';
import { ApprovalCard } from './approval-card.tsx';
import type { Section } from './section.ts';

export const approvalsSection: Section = { title: 'Approvals in the service', Content: Approvals };

function Approvals({ state: { approvals } }: { state: PageState }) {
  if (approvals.length === 0) return <p class="quiet">None yet.</p>;
  return approvals.map((approval) => <ApprovalCard key={approval.id} approval={approval} />);
}
