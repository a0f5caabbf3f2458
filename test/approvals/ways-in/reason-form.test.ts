import { expect, test } from 'vitest';
import {
  approvedAlready,
  atReason,
  openedId,
  openedIn,
  readReason,
  reasonModal,
  submittedAt,
} from '../../../src/approvals/ways-in/reason-form.ts';
import type { Timers } from '../../../src/core/lib/timers.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { viewSchema } from '../../support/slack-limits.ts';

const press = {
  record: '0-AAAAAAAAAAAAAAAA',
  channel: 'C0PROD',
  message: '17.1',
  responseUrl: 'v1.k.sealed',
  title: 'Deploy *4.2* <now>',
};
const submitted = (value: string | null) => ({
  ...reasonModal('reject', 'required', press),
  id: 'V1',
  hash: '1.a',
  state: { values: { 'approvals.reason.text': { 'approvals.reason.text': { value } } } },
});

test.each(['approve', 'reject'] as const)('a modal to %s stays within Slack’s limits', (action) => {
  expect(() => viewSchema.parse(reasonModal(action, 'optional', press))).not.toThrow();
});

test('a modal shows the title of its request', () => {
  expect(reasonModal('reject', 'optional', press)).toMatchObject({
    submit: { text: 'Reject' },
    blocks: [{ text: { text: 'Reject *Deploy ∗4.2∗ &lt;now&gt;*?' } }, {}],
  });
  const asking = reasonModal('approve', 'optional', { ...press, title: 'Deploy 4.2?' });
  expect(asking).toMatchObject({ blocks: [{ text: { text: 'Approve *Deploy 4.2?*' } }, {}] });
  const plain = reasonModal('approve', 'optional', { ...press, title: 'Deploy 4.2' });
  expect(plain).toMatchObject({ blocks: [{ text: { text: 'Approve *Deploy 4.2*?' } }, {}] });
});

test('the data of the button comes back with the reason', () => {
  const read = readReason(submitted('  Too early.\n'));
  expect(read).toEqual({ ...press, action: 'reject', rule: 'required', reason: 'Too early.' });
});

test.each([null, '', '   ', '\u200b\u2060'])('an empty input (%j) counts as no reason', (value) => {
  expect(readReason(submitted(value)).reason).toBeNull();
});

test('an error is shown at the input', () => {
  expect(atReason('No.')).toEqual({
    response_action: 'errors',
    errors: { 'approvals.reason.text': 'No.' },
  });
});

test('a slow store does not delay the form beyond the three seconds of its trigger', async () => {
  const never = new Promise<never>(() => {});
  const waited: number[] = [];
  const sleep = async (ms: number) => void waited.push(ms);
  const store = fake<Store>({ read: () => never });
  const slow = coreWith({ store, config: { routes: [] }, timers: fake<Timers>({ sleep }) });
  expect(
    await approvedAlready(slow, { ...press, user: 'U0ANA', press: 'p', trigger: 't' }),
  ).toBeUndefined();
  expect(Math.max(...waited)).toBeLessThanOrEqual(500);
});

test('a form was sent when its request says or, in Socket Mode, not before its button was pressed', () => {
  const opened = openedIn({ blocks: [{ block_id: 'a' }, { block_id: openedId(17_000.25) }] });
  expect(opened).toEqual({ at: 17_000.25, round: undefined });
  expect(openedIn({ blocks: [{ block_id: openedId(17_000.25, 'f00') }] })?.round).toBe('f00');
  expect(submittedAt(undefined, opened?.at)).toEqual({ acted: { ms: 17_000.25, isLeast: true } });
  expect(submittedAt(19_000, opened?.at)).toEqual({ acted: { ms: 19_000, isWhole: true } });
  // An earlier version opened it.
  expect(submittedAt(undefined, undefined)).toEqual({});
});
