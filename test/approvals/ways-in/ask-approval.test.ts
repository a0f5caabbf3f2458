import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeApproval } from '../../../src/approvals/stored-approval.ts';
import { askApproval, newApproval } from '../../../src/approvals/ways-in/ask-approval.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { createPostingQueue } from '../../../src/core/posts/posting-queue.ts';
import {
  type Held,
  type NewRecord,
  type Store,
  StoreError,
} from '../../../src/core/store/store.ts';
import { coreWith, NO_BOX } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { ENCODERS, isRecoverable, secretToken } from '../../support/spellings.ts';
import { NOW, plan, termsWith } from '../approvals.ts';

// as: the lease's contents are not used here
const held = { lease: { id: '0-abc', token: 't' } } as Held;
const source = {
  id: 'deploys',
  auth: { kind: 'bearer' } as const,
  secrets: ['s'],
  routes: ['production'],
  channels: [],
  kinds: ['approval' as const],
};
const where = { route: 'production', channel: 'C0PROD' };

function runs() {
  const begun: Held[] = [];
  return { begun, reconciler: { hasRoom: true, run: async (one: Held) => void begun.push(one) } };
}

function approvalIn(record: NewRecord | undefined) {
  if (record === undefined) throw new Error('a record was created');
  return decodeApproval(record);
}

test('the record keeps the name of its source, with the token redacted', async () => {
  const needs = coreWith({
    timers: systemTimers,
    box: NO_BOX,
    store: fake<Store>({ now: () => NOW }),
    timing: TRUE_TIME,
  });
  const named = { ...source, name: 'Deploys of secret-token-1' };
  const request = { token: 'secret-token-1', message: 'Now?' };
  const made = await newApproval(needs, named, where, request);
  expect(made).toMatchObject({ source: 'deploys', sourceName: 'Deploys of [token]' });
  expect(await newApproval(needs, source, where, request)).not.toHaveProperty('sourceName');
});

describe('asking', () => {
  function stage(create: (record: NewRecord) => ReturnType<Store['create']>, postsAhead = 0) {
    const { begun, reconciler } = runs();
    const records: NewRecord[] = [];
    const holds: boolean[] = [];
    const queue = createPostingQueue({ monotonic: () => 0 }, TRUE_TIME);
    queue.taken('C0PROD', postsAhead * 1_000);
    const needs = coreWith({
      timers: systemTimers,
      store: fake<Store>({
        now: () => NOW,
        create(record, { hold }) {
          records.push(record);
          holds.push(hold);
          return create(record);
        },
      }),
      reconciler,
      queue,
      box: NO_BOX,
      timing: TRUE_TIME,
    });
    return { needs, records, holds, begun, queue };
  }
  const created = async () => ({ kind: 'created', id: '0-abc', now: NOW, held }) as const;
  const waits = async () => ({ kind: 'created', id: '0-abc', now: NOW }) as const;

  test('reads the prompt of the service at once, even if the clock of the process is ahead of the store', async () => {
    const { needs, records } = stage(created);
    await askApproval(needs, source, where, { token: 'tok' });
    const approval = approvalIn(records[0]);
    expect(plan(approval, termsWith(), NOW - 3)).toMatchObject({
      step: { kind: 'read-status', why: 'prompt' },
    });
  });

  test('stores the request, without the token in clear, and begins at once', async () => {
    const { needs, records, begun } = stage(created);
    const asked = await askApproval(needs, source, where, {
      token: 'tok&1',
      title: 'Deploy tok&1',
      message: 'See https://x.example/?t=tok%261',
      fields: { 'tok&1': 'is tok&amp;1' },
      link: 'https://ci.example.com/tok%261',
      requestedBy: { name: 'tok&1', email: 'rita@example.com' },
      reviewers: { users: ['U0ANA'] },
      quorum: 2,
      need: [{ name: 'SRE', of: { groups: ['S0SRE'] }, count: 1 }],
      expiresAt: '2026-11-21T10:00:00+02:00',
    });
    expect(asked).toEqual({ id: '0-abc' });
    expect(begun).toEqual([held]);
    const [record] = records;
    expect(JSON.stringify(record)).not.toMatch(/tok(&|%26|&amp;)1/);
    expect(record?.lists).toEqual(['route:production']);
    expect(approvalIn(record)).toEqual({
      token: 'sealed-token',
      source: 'deploys',
      route: 'production',
      channel: 'C0PROD',
      createdAt: NOW,
      title: 'Deploy [token]',
      message: 'See https://x.example/?t=[token]',
      fields: [['[token]', 'is [token]']],
      requester: { name: '[token]', email: 'rita@example.com', lookups: 0 },
      narrowedTo: { users: ['U0ANA'], groups: [] },
      quorum: 2,
      needs: [{ name: 'SRE', of: { users: [], groups: ['S0SRE'] }, count: 1 }],
      expiresAt: Date.parse('2026-11-21T08:00:00Z'),
      posts: [{ name: 'message', channel: 'C0PROD' }],
      watch: { state: 'pending', nextAt: NOW + 15_000 },
      queue: [],
      ballots: [],
      replies: [],
    });
    expect(record).toMatchObject({ lane: 'people', dueInMs: 0, place: { message: null } });
  });

  test('stores no text or link that contains the token in any encoding', async () => {
    const { needs, records } = stage(created);
    const chain = fc.array(fc.constantFrom(...ENCODERS), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(secretToken, chain, async (token, encoders) => {
        const written = encoders.reduce((inner, [, encode]) => encode(inner), token);
        await askApproval(needs, source, where, {
          token,
          title: `Deploy ${written}`,
          message: `Open "${written}".`,
          fields: { [written]: `is ${written}` },
          link: `https://ci.example.com/?t=${written}`,
          requestedBy: { name: written },
        });
        const { title, message, fields, link, requester } = approvalIn(records.at(-1));
        const texts = [title, message, ...(fields ?? []).flat(), requester?.name];
        expect(texts.filter((text) => isRecoverable(text ?? '', token))).toEqual([]);
        expect(link).toBeUndefined();
      }),
    );
  });

  test('a new approval behind many others stays in the store until it can be posted', async () => {
    const { needs, records, holds, begun } = stage(waits, 5);
    for (const token of ['one', 'two']) {
      await askApproval(needs, source, where, { token, message: 'Shall we?' });
    }
    expect(records.map(({ lane, dueInMs }) => [lane, dueInMs])).toEqual([
      ['people', 6_000],
      ['people', 7_000],
    ]);
    expect([holds, begun]).toEqual([[false, false], []]);
    const approval = approvalIn(records[0]);
    const wait = { kind: 'wait', until: NOW + 6_000, lane: 'people' };
    expect(plan(approval, termsWith(), NOW)).toEqual(wait);
    const slot = { kind: 'take-slot', post: 'message', channel: 'C0PROD' };
    const find = { kind: 'find-absent' };
    expect(plan(approval, termsWith(), NOW + 6_000)).toMatchObject({ kind: 'step', step: find });
    const known = { ...approval, absent: { at: NOW + 6_000 } };
    expect(plan(known, termsWith(), NOW + 6_000)).toMatchObject({ kind: 'step', step: slot });
  });

  test('reads the status of an approval that will be posted much later', async () => {
    const { needs, records, holds } = stage(waits, 500);
    await askApproval(needs, source, where, { token: 'one', message: 'Shall we?' });
    await askApproval(needs, source, where, { token: 'two' });
    expect(records.map(({ dueInMs }) => dueInMs)).toEqual([15_000, 0]);
    expect(holds).toEqual([false, true]);
    const approval = approvalIn(records[0]);
    const read = { step: { kind: 'read-status', why: 'watch' } };
    expect(plan(approval, termsWith(), NOW + 15_000)).toMatchObject(read);
  });

  test('frees its place in the posting queue if the store refuses the record', async () => {
    const { needs, queue } = stage(async () => {
      throw new StoreError('unavailable', 'away');
    }, 5);
    const asked = askApproval(needs, source, where, { token: 'one' });
    await expect(asked).rejects.toThrow('away');
    expect(queue.join('C0PROD')).toBe(6_000);
  });

  test('uses the same key for the same token, and a different key for another token', async () => {
    const { needs, records } = stage(created);
    for (const token of ['one', 'one', 'two']) await askApproval(needs, source, where, { token });
    const keys = records.map(({ uniqueKey }) => uniqueKey);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
    expect(keys.join()).not.toMatch(/one|two/);
  });

  test('a known token returns the existing record and takes no place in the posting queue', async () => {
    const record = {
      id: '0-old',
      kind: 'approval',
      data: '{}',
      lane: 'people',
      dueAt: null,
      place: null,
      uniqueKey: 'k',
      lists: [],
    } as const;
    const { needs, begun, queue } = stage(async () => ({ kind: 'exists', record }), 5);
    const asked = await askApproval(needs, source, where, { token: 'one' });
    expect(asked).toEqual({ id: '0-old', record });
    expect(begun).toEqual([]);
    expect(queue.join('C0PROD')).toBe(6_000);
  });
});
