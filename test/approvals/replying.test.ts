import { expect, test } from 'vitest';
import type { Reply, SentenceKind } from '../../src/approvals/approval.ts';
import { markAttempt } from '../../src/approvals/steps/steps.ts';
import { TRUE_TIME } from '../../src/lib/timing.ts';
import { approvalWith, NOW } from './approvals.ts';

function markedFor(about: SentenceKind) {
  const owed: Reply = { id: 'r', about, text: 'x', via: 'url', user: 'U1', channel: 'C1', at: NOW };
  const approval = approvalWith({ replies: [owed] });
  const marked = markAttempt(approval, { kind: 'reply', reply: 'r' }, TRUE_TIME, NOW);
  return marked === undefined ? 'told at once' : { isSaved: marked.data === approval };
}

// Found by the simulation: a process died between the two, and the next one carried the press out.
test.each<SentenceKind>(['refusal', 'trouble', 'closed', 'spent', 'dropped'])(
  'a press that is not carried out any more (%s) is saved as such before its person reads so',
  (about) => expect(markedFor(about)).toEqual({ isSaved: true }),
);

test.each<SentenceKind>(['progress', 'late', 'state', 'unshown'])(
  'what is true whatever is forgotten (%s) is told at once',
  (about) => expect(markedFor(about)).toBe('told at once'),
);
