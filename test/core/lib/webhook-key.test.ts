import { expect, it } from 'vitest';
import { webhookKey } from '../../../src/core/lib/webhook-key.ts';

it('is decoded from the part after whsec_', () => {
  const key = Buffer.from('a key of some bytes');
  expect(webhookKey(`whsec_${key.toString('base64')}`)).toEqual(key);
});

it.each(['', 'whsec_', 'whsec_!!!!', 'whsec_YQ', 'YQ==', 'WHSEC_YQ==', 'whsec_YQ== '])(
  'is not found in "%s"',
  (secret) => {
    expect(webhookKey(secret)).toBeUndefined();
  },
);
