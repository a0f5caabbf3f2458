import { expect, test } from 'vitest';
import type { Reply } from '../../src/approvals/approval.ts';
import { owe } from '../../src/approvals/decision/transitions.ts';
import { markAttempt } from '../../src/approvals/steps.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { applied, approvalWith, inWords, NOW, said } from './approvals.ts';

test('different replies to one person, and the same reply to two people, are all queued', () => {
  const asker = { user: 'U1', channel: 'C1', at: NOW };
  const one = owe(approvalWith(), asker, 'state', { code: 'deciding' });
  const two = owe(one, asker, 'state', { code: 'waiting' });
  const three = owe(two, { ...asker, user: 'U2' }, 'state', { code: 'waiting' });
  expect(inWords(three).replies.map(({ user, text }) => `${user}: ${text}`)).toEqual([
    `U1: ${said({ code: 'deciding' })}`,
    `U1: ${said({ code: 'waiting' })}`,
    `U2: ${said({ code: 'waiting' })}`,
  ]);
});

test('the same reply to the same person is queued once, with the newest response URL', () => {
  const asker = { user: 'U1', channel: 'C1' };
  const once = inWords(owe(approvalWith(), { ...asker, at: NOW }, 'state', { code: 'waiting' }));
  const newest = { ...asker, at: NOW + 1, responseUrl: 'sealed' };
  const twice = inWords(owe(once, newest, 'state', { code: 'waiting' }));
  expect(once.replies).toMatchObject([{ via: 'ephemeral' }]);
  expect(twice.replies).toMatchObject([{ ...newest, via: 'url' }]);
});

// Found by the simulation: a process sent an outcome and died before it saved that; the next one found another.
test('a reply is sent only after its content has been saved', () => {
  const owed: Reply = {
    ...{ id: 'r', about: 'late', text: 'x', via: 'url' },
    ...{ user: 'U1', channel: 'C1', at: NOW },
  };
  const approval = approvalWith({ replies: [owed] });
  const marked = markAttempt(approval, { kind: 'reply', reply: 'r', via: 'url' }, TRUE_TIME, NOW);
  expect(marked).toEqual({ data: approval });
});

// Found by the rules' property: Slack refused the first way, half a minute after the last one had begun.
test('a late refusal of the response URL does not give up the direct message that is tried now', () => {
  const asker = { user: 'U1', channel: 'C1', responseUrl: 'sealed' };
  const owing = owe(approvalWith(), { ...asker, at: NOW }, 'refusal', { code: 'changed' });
  const approval = inWords(owing);
  const [owed] = approval.replies;
  const direct = approval.replies.map((each) => ({ ...each, via: 'direct' as const }));
  const step = { kind: 'reply', reply: owed?.id ?? '', via: 'url' } as const;
  const refused = { class: 'refused', code: 'http_403', status: 403 } as const;
  const late = { kind: 'failed', failure: refused } as const;
  expect(applied({ ...approval, replies: direct }, step, late).replies).toEqual(direct);
  expect(applied(approval, step, late).replies).toMatchObject([{ via: 'ephemeral' }]);
});

// Found by the rules' property: a delivery that took 45 s ended when its reply was gone and another one was owed.
test('the late end of a delivery does not remove a newer reply', () => {
  const asker = { user: 'U1', channel: 'C1' };
  const owing = (at: number, code: 'changed' | 'earlier') =>
    inWords(owe(approvalWith(), { ...asker, at }, 'refusal', { code }));
  const first = owing(NOW, 'changed');
  const [delivered] = first.replies;
  const second = owing(NOW + 1, 'earlier');
  const step = { kind: 'reply', reply: delivered?.id ?? '', via: 'url' } as const;
  const late = { kind: 'done', text: 'as delivered' } as const;
  expect(applied(second, step, late, NOW + 2).replies).toEqual(second.replies);
  expect(applied(first, step, late, NOW + 2).replies).toEqual([]);
});
