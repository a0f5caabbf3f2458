import { useRef } from 'preact/hooks';
import { type Asking, useAsking } from '../../page/client/live/ask-sandbox.ts';
import { BusyButton } from '../../page/client/parts/busy-button.tsx';
import { useKeptFocus } from '../../page/client/parts/focus.ts';
import { Trouble } from '../../page/client/parts/trouble.tsx';
import type { DemoState, PageApproval } from '../backstage-state.ts';
import type { Section } from './section.ts';

export const approvalsSection: Section = { title: 'Approvals in the service', Content: Approvals };

function Approvals({ state: { approvals } }: { state: DemoState }) {
  if (approvals.length === 0) return <p class="quiet">None yet.</p>;
  return approvals.map((approval) => <ApprovalCard key={approval.id} approval={approval} />);
}

const words = {
  PENDING: 'waiting',
  APPROVED: 'approved',
  REJECTED: 'rejected',
  TIMED_OUT: 'timed out',
} as const;

/** One approval as the service knows it, and what can be done to it without the bot. */
function ApprovalCard({ approval }: { approval: PageApproval }) {
  const { id, title, status, effects } = approval;
  const card = useRef<HTMLElement>(null);
  const asking = useAsking();
  useKeptFocus(card);
  return (
    <article ref={card} class={`approval ${status.toLowerCase()}`} tabIndex={-1}>
      <p>
        <strong>{id}</strong> {title}
      </p>
      <p class="quiet">{[words[status], ...effects].join(' · ')}</p>
      <div class="actions">
        <Choices approval={approval} asking={asking} />
      </div>
      <Trouble words={asking.trouble} />
    </article>
  );
}

function Choices({ approval, asking }: { approval: PageApproval; asking: Asking }) {
  const { id, status, canCheck, isAsked } = approval;
  const choice = (label: string, method: string, more: object = {}) => (
    <BusyButton
      key={label}
      kind="small"
      isBusy={asking.isAsking}
      onPress={() => void asking.ask(method, { approval: id, ...more })}
    >
      {label}
    </BusyButton>
  );
  if (canCheck) return choice('Tell the bot to check', 'check');
  if (status === 'APPROVED' && isAsked) {
    return [
      choice('Report: running', 'report', { state: 'running' }),
      choice('Report: succeeded', 'report', { state: 'succeeded' }),
      choice('Report: failed', 'report', { state: 'failed' }),
    ];
  }
  if (status !== 'PENDING') return null;
  return [
    choice('Approve elsewhere', 'decide', { action: 'approve' }),
    choice('Reject elsewhere', 'decide', { action: 'reject' }),
    choice('Let it time out', 'decide', { action: 'time-out' }),
    ...(isAsked ? [choice('Withdraw', 'withdraw')] : []),
  ];
}
