import { randomBytes } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { isAlwaysSigned } from '../../../src/app/features.ts';
import {
  auditSigner,
  type SignAudit,
  signatureChecker,
  type VerifiedChain,
  verifyChain,
} from '../../../src/core/store/audit-chain.ts';
import type { KeptAuditEntry, Store } from '../../../src/core/store/store.ts';
import {
  type AuditWorld,
  collect,
  createFree,
  createHeld,
  HOUR_MS,
  keptAudit,
  save,
} from './store-world.ts';

interface AuditOptions {
  readonly signAudit?: SignAudit;
}

const keyNamed = (id: string) => ({ id, key: randomBytes(32) });
const ours = [keyNamed('k2'), keyNamed('k1')];
const check = signatureChecker(ours);
const signed = { signAudit: auditSigner(ours) };

const entry = (n: number) => ({
  action: `a.${n}`,
  record: null,
  actor: 'U1',
  facts: { n, what: 'ja,\n"größer"', none: null, yes: true },
});

async function verify(store: Store, kept?: VerifiedChain['head']): Promise<VerifiedChain> {
  expect(store.auditShards()).toBe(1);
  return verifyChain(await store.auditChain(0), { check, isAlwaysSigned, kept });
}

const problemsOf = async (store: Store) =>
  (await verify(store)).problems.map(({ kind, seq }) => [kind, seq]);

/** The audit log of every store is a chain that shows tampering. */
export function auditContract(openWorld: (options?: AuditOptions) => Promise<AuditWorld>): void {
  /** Six entries, written in every possible way. */
  const openWritten = async (options: AuditOptions = signed) => {
    const world = await openWorld(options);
    const [store, other] = world.stores;
    const { lease } = await createHeld(store, { audit: [entry(1)] });
    await save(other, lease, { audit: [entry(2), entry(3)] });
    await store.writeAudit(entry(4));
    await Promise.all([
      createFree(store, { audit: [entry(5)] }),
      createFree(store, { audit: [entry(6)] }),
    ]);
    return { world, store };
  };

  describe('the chain of the audit log', () => {
    test('is whole with two writers, and its head is the last entry', async () => {
      const { world, store } = await openWritten();
      await using _ = world;
      const { problems, entries, unsigned, head } = await verify(store);
      expect({ problems, entries, unsigned }).toEqual({ problems: [], entries: 6, unsigned: 0 });
      const chain = await store.auditChain(0);
      expect(head).toEqual(chain.head);
      const kept = await keptAudit(store);
      expect(kept.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      const shown = await collect(store.readAudit({}));
      expect(shown.map(({ id }) => id)).toEqual(kept.map(({ at, seq }) => `0-${at}-${seq}`));
    });

    test('is whole in a store without entries', async () => {
      await using world = await openWorld(signed);
      expect(await verify(world.stores[0])).toMatchObject({ entries: 0, problems: [] });
    });

    test.each<[string, (kept: readonly KeptAuditEntry[]) => KeptAuditEntry[], unknown[]]>([
      ['one in the middle that is missing', (kept) => kept.toSpliced(2, 1), [['missing', 4]]],
      ['the first that is missing', (kept) => kept.slice(1), [['missing', 2]]],
      ['the last that is missing', (kept) => kept.slice(0, -1), [['missing', 6]]],
      ['all that are missing', () => [], [['missing', 6]]],
      [
        'one that was changed',
        (kept) =>
          kept.with(2, { ...at(kept, 2), text: ['a.3', '', 'U2', '{}', at(kept, 2).text[4]] }),
        [
          ['changed', 3],
          ['forged', 3],
        ],
      ],
      [
        'one that was changed and linked anew',
        (kept) => kept.with(2, { ...at(kept, 2), link: at(kept, 3).link }),
        [
          ['changed', 3],
          ['changed', 4],
        ],
      ],
      [
        'two that changed places',
        (kept) =>
          kept
            .with(1, { ...at(kept, 1), text: at(kept, 2).text, link: at(kept, 2).link })
            .with(2, { ...at(kept, 2), text: at(kept, 1).text, link: at(kept, 1).link }),
        [
          ['changed', 2],
          ['changed', 3],
          ['changed', 4],
        ],
      ],
      [
        'one that somebody else added',
        (kept) => [...kept, { ...at(kept, 5), seq: 7, text: ['a.7', '', 'U2', '{}', 'k2.x'] }],
        [
          ['changed', 7],
          ['forged', 7],
        ],
      ],
    ])('shows %s', async (_what, change, problems) => {
      const { world, store } = await openWritten();
      await using _ = world;
      await world.rewriteAudit(change);
      expect(await problemsOf(store)).toEqual(problems);
    });

    test('shows a signature whose text was divided otherwise', async () => {
      const { world, store } = await openWritten();
      await using _ = world;
      await world.rewriteAudit((kept) =>
        kept.map((each, index) => {
          const [action, record, actor, facts, mac] = each.text;
          const divided = [
            [action, `${record}\n${actor}`, '', facts, mac],
            [action, record, actor, facts, `${mac}.`],
            [`${action}\n${record}`, actor, facts, '', mac],
            [action, record, actor, `${facts}\n`, mac],
          ] as const;
          return { ...each, text: divided[index] ?? each.text };
        }),
      );
      const { problems } = await verify(store);
      const forged = problems.filter(({ kind }) => kind === 'forged');
      expect(forged.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    });

    test('continues after tampering, which stays visible', async () => {
      const { world, store } = await openWritten();
      await using _ = world;
      await world.rewriteAudit((kept) => kept.slice(0, -1));
      await store.writeAudit(entry(7));
      await createFree(store, { audit: [entry(8)] });
      expect(await problemsOf(store)).toEqual([['missing', 7]]);
      // Longer than its noted state: writing continues.
      let addedAt = 0;
      await world.rewriteAudit((kept) => {
        addedAt = at(kept, 6).at;
        return [...kept, { ...at(kept, 6), seq: 9 }];
      });
      // In the same millisecond the next one would replace it.
      await vi.waitUntil(() => Date.now() > addedAt + 1, { timeout: 60_000, interval: 1 });
      await store.writeAudit(entry(9));
      expect((await collect(store.readAudit({}))).at(-1)?.action).toBe('a.9');
      expect((await verify(store)).problems.length).toBeGreaterThan(1);
    });

    test('shows by a saved head that it was rewritten or cut', async () => {
      const { world, store } = await openWritten();
      await using _ = world;
      const { head } = await verify(store);
      await store.writeAudit(entry(7));
      expect((await verify(store, head)).problems).toEqual([]);
      const another = { ...head, link: 'f'.repeat(head.link.length) };
      expect((await verify(store, another)).problems).toMatchObject([{ kind: 'head', seq: 6 }]);
      const chain = await store.auditChain(0);
      // Somebody who rewrites it may say that retention removed all that was there before.
      const anchor = { seq: head.seq + 1, link: head.link };
      const { problems } = await verifyChain(
        { ...chain, anchor },
        { check, isAlwaysSigned, kept: head },
      );
      expect(problems).toContainEqual(expect.objectContaining({ kind: 'head', seq: 7 }));
      const further = { ...head, seq: 8 };
      expect((await verify(store, further)).problems).toMatchObject([{ kind: 'head', seq: 7 }]);
    });

    test('stays whole when its oldest entries are removed, which does not happen by itself', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      await createFree(store, { audit: Array.from({ length: 30 }, (_, n) => entry(n)) });
      await world.pass(100 * 365 * 24 * HOUR_MS);
      await createFree(store, { audit: [entry(30)] });
      expect(await keptAudit(store)).toHaveLength(31);
      const last = at(await keptAudit(store), 24);
      while (await store.removeAudit(0, last));
      const { anchor, head } = await store.auditChain(0);
      expect({ anchor, head: head.seq }).toEqual({
        anchor: { seq: 25, link: last.link },
        head: 31,
      });
      expect((await verify(store)).problems).toEqual([]);
      expect(await store.removeAudit(0, last)).toBe(false);
      expect((await store.auditChain(0)).anchor.seq).toBe(25);
      await createFree(store, { audit: [entry(31), entry(32)] });
      expect(await verify(store)).toMatchObject({ problems: [], entries: 8 });
      await world.rewriteAudit((kept) => kept.slice(1));
      expect(await problemsOf(store)).toEqual([['missing', 27]]);
    });

    test('reports unsigned entries and unknown keys', async () => {
      await using bare = (await openWritten({})).world;
      expect(await verify(bare.stores[0])).toMatchObject({ problems: [], unsigned: 6 });
      await using other = (await openWritten({ signAudit: auditSigner([keyNamed('old')]) })).world;
      expect(await verify(other.stores[0])).toMatchObject({
        problems: [],
        unsigned: 6,
        unknownKeys: ['old'],
      });
      await bare.stores[0].writeAudit({ ...entry(7), action: 'approvals.outcome' });
      expect(await problemsOf(bare.stores[0])).toEqual([['forged', 7]]);
      await using older = (await openWritten({ signAudit: auditSigner(ours.slice(1)) })).world;
      expect(await verify(older.stores[0])).toMatchObject({ problems: [], unsigned: 0 });
    });
  });
}

function at(kept: readonly KeptAuditEntry[], index: number): KeptAuditEntry {
  const found = kept[index];
  if (found === undefined) throw new Error(`there is no entry ${index}`);
  return found;
}
