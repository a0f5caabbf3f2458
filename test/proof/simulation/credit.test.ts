import { expect, test } from 'vitest';
import {
  AUDIT,
  approval,
  call,
  effect,
  evidence,
  found,
  message,
  told,
  WAITING,
} from './evidence-of.ts';

/** Somebody approves it in the service while Ana presses. */
const NOTE = ':white_check_mark: *Approved* · The decision of <@U0ANA> was sent.';
const elsewhere = approval({
  effects: [effect({ how: 'elsewhere', serviceUser: null })],
  calls: [call({ operation: 'read', at: 39_000, action: null, serviceUser: null })],
});
const unsent = AUDIT.filter(({ action }) => action !== 'approvals.respond');
const said = (words: string) => ({
  approvals: [elsewhere],
  audit: unsent,
  messages: [
    message([
      [10_000, WAITING],
      [41_000, words],
    ]),
    ...evidence().messages.slice(1),
  ],
});
const WRONG = 'that a decision of U0ANA was sent, and none of theirs was';

test('the checker reports a decision that is said to be sent, and never was', () => {
  expect(found(said(NOTE))).toContain(`message in C1 said ${WRONG}`);
  expect(found(said(':white_check_mark: *Approved elsewhere*'))).not.toContain(WRONG);
  const reply = told(
    '<it> is approved. The decision of <@U0ANA> was sent. The service did not say.',
  );
  const all = { ...said(':white_check_mark: *Approved elsewhere*'), told: [reply] };
  expect(found(all)).toContain(`a reply to U0ANA said ${WRONG}`);
});

test('but not if the log has it, or it arrived, or the store went back', () => {
  expect(found({ ...said(NOTE), audit: AUDIT })).not.toContain(WRONG);
  const arrived = { ...elsewhere, calls: [...elsewhere.calls, call({ at: 40_500, status: 409 })] };
  expect(found({ ...said(NOTE), approvals: [arrived] })).not.toContain(WRONG);
  const lapse = { from: 20_000, at: 29_400, keptAcknowledged: false };
  expect(found({ ...said(NOTE), lapses: [lapse] })).not.toContain(WRONG);
});
