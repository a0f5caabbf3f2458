import { expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import { receiveSignal } from '../../../src/approvals/decision/receive.ts';
import { dueAbsent, findAbsent } from '../../../src/approvals/electorate/find-absent.ts';
import { cases } from '../../support/cases.ts';
import { approvalWith, NOW, routeWith, termsWith } from '../approvals.ts';

test('the read of absences is due only finitely often, whatever the clock does', () => {
  let seed = 7;
  const rnd = (n: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % n;
  };
  const users = ['A', 'B', 'C', 'L', 'H'];
  let worst = 0;
  for (let run = 0; run < cases(500, 10_000); run += 1) {
    const route = routeWith({
      reviewers: {
        users: ['A', 'B', 'C'].slice(0, 1 + rnd(3)),
        groups: rnd(2) ? ['S'] : [],
        channel: rnd(5) === 0,
      },
      quorum: 1 + rnd(3),
      substitutes: rnd(2) === 0,
      need: rnd(2)
        ? [
            {
              name: 'N',
              count: 1 + rnd(2),
              of: { users: ['A', 'B'].slice(0, 1 + rnd(2)), groups: rnd(2) ? ['S'] : [] },
            },
          ]
        : [],
      escalate: [
        { after: 5000, to: { users: ['L'], groups: [] } },
        { after: 9000, to: { users: ['H'], groups: [] } },
      ].slice(0, rnd(3)),
      remind: { afterMs: 3000, times: 3 },
    });
    let now = NOW;
    let approval: Approval = approvalWith({
      ...(rnd(2) && { expiresAt: NOW + 4000 + rnd(8000) }),
      ...(rnd(3) === 0 && { requester: { user: 'A' } }),
    });
    for (let t = 0; t < 12; t += 1) {
      now += rnd(4000) - 1200;
      const terms = () => ({ ...termsWith(), route, asOf: now });
      if (rnd(3) === 0)
        approval = receiveSignal(
          approval,
          { id: 's', at: now, body: '' },
          { kind: 'absences' },
          terms(),
        ).data;
      if (rnd(4) === 0)
        approval = {
          ...approval,
          ballots: [
            ...approval.ballots,
            { user: users[rnd(5)] ?? 'A', action: 'approve', at: now },
          ],
        };
      for (let n = 0; ; n += 1) {
        const due = dueAbsent(approval, terms(), now);
        if (due === null || typeof due === 'number') break;
        worst = Math.max(worst, n + 1);
        if (n > 10) throw new Error(JSON.stringify({ approval, route, now }));
        const away = users.filter(() => rnd(2));
        const people = away.map((u) => ({
          ids: [u],
          until: NOW + 1e6,
          ...(rnd(2) && { substitute: 'X' }),
        }));
        const absent = people.length
          ? { people, ...(rnd(2) && { groups: { S: rnd(2) ? ['A'] : [] } }) }
          : {};
        if (rnd(2)) now += rnd(3);
        approval = findAbsent.apply(approval, due, { kind: 'found', absent }, terms(), now).data;
      }
    }
  }
  expect(worst).toBeLessThan(5);
});
