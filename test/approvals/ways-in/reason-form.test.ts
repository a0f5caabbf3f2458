import { expect, test } from 'vitest';
import {
  approvedAlready,
  atReason,
  readReason,
  reasonModal,
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
