import { describe, expect, test } from 'vitest';
import { decodeApproval } from '../../src/approvals/approval-flow.ts';
import { type AskNeeds, askApproval } from '../../src/approvals/ask-approval.ts';
import { plan } from '../../src/approvals/plan.ts';
import type { Held, NewRecord, Store } from '../../src/store/store.ts';
import { NOW, termsWith } from './approvals.ts';

// as: nothing here looks into what is held
const held = { lease: { id: '0-abc', token: 't' } } as Held;
const source = {
  id: 'deploys',
  auth: { kind: 'bearer' } as const,
  secrets: ['s'],
  routes: ['production'],
  channels: [],
};
const where = { route: 'production', channel: 'C0PROD' };

function runs() {
  const begun: Held[] = [];
  return { begun, reconciler: { hasRoom: true, run: async (one: Held) => void begun.push(one) } };
}

describe('asking', () => {
  function stage(create: (record: NewRecord) => ReturnType<Store['create']>) {
    const { begun, reconciler } = runs();
    const records: NewRecord[] = [];
    const needs: AskNeeds = {
      store: {
        create(record) {
          records.push(record);
          return create(record);
        },
      },
      reconciler,
      seal: (_plain, what) => `sealed-${what}`,
      now: () => NOW,
    };
    return { needs, records, begun };
  }
  const created = async () => ({ kind: 'created', id: '0-abc', now: NOW, held }) as const;

  test('asks for the words at once, also when its clock is ahead of the store', async () => {
    const { needs, records } = stage(created);
    await askApproval(needs, source, where, { token: 'tok' });
    const approval = decodeApproval(records[0]?.data ?? '');
    expect(plan(approval, termsWith(), NOW - 3)).toMatchObject({
      step: { kind: 'look', why: 'prompt' },
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
      expiresAt: '2026-11-21T10:00:00+02:00',
    });
    expect(asked).toEqual({ id: '0-abc', isNew: true });
    expect(begun).toEqual([held]);
    const [record] = records;
    expect(JSON.stringify(record)).not.toMatch(/tok(&|%26|&amp;)1/);
    expect(decodeApproval(record?.data ?? '')).toEqual({
      v: 1,
      token: 'sealed-token',
      source: 'deploys',
      route: 'production',
      channel: 'C0PROD',
      createdAt: NOW,
      title: 'Deploy [token]',
      message: 'See https://x.example/?t=[token]',
      fields: [['[token]', 'is [token]']],
      link: 'https://ci.example.com/[token]',
      requester: { name: '[token]', email: 'rita@example.com' },
      narrowedTo: { users: ['U0ANA'], groups: [] },
      quorum: 2,
      expiresAt: Date.parse('2026-11-21T08:00:00Z'),
      parts: [{ name: 'message', channel: 'C0PROD' }],
      watch: { state: 'pending', nextAt: NOW + 15_000 },
      queue: [],
      ballots: [],
      tells: [],
    });
    expect(record).toMatchObject({ lane: 'people', dueInMs: 0, place: { message: null } });
  });

  test('gives a token the same key again, and every other token another', async () => {
    const { needs, records } = stage(created);
    for (const token of ['one', 'one', 'two']) await askApproval(needs, source, where, { token });
    const keys = records.map(({ uniqueKey }) => uniqueKey);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
    expect(keys.join()).not.toMatch(/one|two/);
  });

  test('answers a token that is known with what is known', async () => {
    const record = {
      id: '0-old',
      kind: 'approval',
      data: '{}',
      lane: 'people',
      dueAt: null,
      place: null,
      uniqueKey: 'k',
    } as const;
    const { needs, begun } = stage(async () => ({ kind: 'exists', record }));
    const asked = await askApproval(needs, source, where, { token: 'one' });
    expect(asked).toEqual({ id: '0-old', isNew: false, data: '{}' });
    expect(begun).toEqual([]);
  });
});
