import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { noteRules } from '../../src/app/note-rules.ts';
import { rulesReloader } from '../../src/app/reload-rules.ts';
import { authorize } from '../../src/approvals/decision/authorize.ts';
import { recheckClick, rulesIn } from '../../src/approvals/decision/reauthorize.ts';
import { digestOf, ruleSettings, rulesOf } from '../../src/core/config/rules.ts';
import { system } from '../../src/core/lib/system.ts';
import { Memory } from '../../src/core/store/memory/memory-store.ts';
import { type NewAuditEntry, StoreError } from '../../src/core/store/store.ts';
import { approvalWith, NOW, routeWith, termsWith } from '../approvals/approvals.ts';
import { configWith, readWith } from '../core/config/environment-of-tests.ts';

const SOURCE = '{ id: deploys, secret: INTAKE, routes: [production] }';
const yaml = (rules: string, more = '', sources = SOURCE) => `
sources: [${sources}]
routes:
  production: { channel: C0PROD, reviewers: { users: [U0ANA, U0BEN, U0CLEO] }, ${rules} }
${more}
`;

const env = { INTAKE: 'the-secret-of-the-source' };

/** `write`: of an audit entry. */
function storeWith(write: (entry: NewAuditEntry) => Promise<void>) {
  const kept = new Map<string, string>();
  return {
    get: async (key: string) => kept.get(key),
    async put(key: string, value: string) {
      kept.set(key, value);
    },
    async writeAudit(entry: NewAuditEntry) {
      await write(entry);
      return 'id';
    },
  };
}

/** The rules before and after a reload, and what is logged. */
async function reloaded(text: string, { isStoreAway = false, env: after = env } = {}) {
  const rules = rulesOf(configWith(yaml('quorum: 2'), env));
  const before = digestOf(ruleSettings(rules.config));
  const noted: NewAuditEntry[] = [];
  const lines: { readonly msg: string; readonly [fact: string]: unknown }[] = [];
  const logger = pino(
    { base: null },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const store = storeWith(async (entry) => {
    if (isStoreAway) throw new StoreError('unavailable', 'away');
    noted.push(entry);
  });
  await rulesReloader({ rules, store, logger, run: 'r1' })(readWith(text, after));
  const quorum = rules.config.routes.find(({ name }) => name === 'production')?.quorum;
  const { config } = rules;
  return { config, quorum, before, now: digestOf(ruleSettings(rules.config)), noted, lines };
}

test('reloaded rules take effect, and the audit log has both digests', async () => {
  const { quorum, before, now, noted, lines } = await reloaded(yaml('quorum: 3'));
  expect(quorum).toBe(3);
  expect(now).not.toBe(before);
  const own = { record: null, actor: 'gatepost' };
  const facts = noted.at(-1)?.facts ?? {};
  const { routes, people, ...digests } = facts;
  expect(digests).toEqual({ run: 'r1', from: before, to: now });
  const { production } = JSON.parse(String(routes));
  const textOf = (digest: unknown, route: string | null) => {
    const text = expect.stringMatching(route === null ? /"identityOverrides"/ : /"quorum":3/);
    return { action: 'gatepost.rules.text', ...own, facts: { digest, route, text } };
  };
  expect(noted).toEqual([
    textOf(production, 'production'),
    textOf(people, null),
    { action: 'gatepost.rules', ...own, facts },
  ]);
  expect(lines).toMatchObject([{ msg: 'reloaded the rules', from: before, to: now }]);
});

test('of two reloads at once the last one stays, however slow the store is', async () => {
  const rules = rulesOf(configWith(yaml('quorum: 2'), env));
  const waiting: (() => void)[] = [];
  const noted: NewAuditEntry[] = [];
  const store = storeWith(async (entry) => {
    if (entry.action !== 'gatepost.rules') return;
    await new Promise<void>((resolve) => void waiting.push(resolve));
    noted.push(entry);
  });
  const logger = pino({ enabled: false });
  const reload = rulesReloader({ rules, store, logger, run: 'r1' });
  const both = [reload(readWith(yaml('quorum: 3'), env)), reload(readWith(yaml('quorum: 2'), env))];
  for (const _ of both) {
    await vi.waitFor(() => expect(waiting).toHaveLength(1));
    waiting.shift()?.();
  }
  await Promise.all(both);
  expect(noted).toHaveLength(2);
  expect(rules.config.routes.find(({ name }) => name === 'production')?.quorum).toBe(2);
});

test('a reload without changes is not recorded in the audit log', async () => {
  const { noted, lines } = await reloaded(yaml('quorum: 2'));
  expect(noted).toEqual([]);
  expect(lines).toMatchObject([{ msg: 'reloaded the rules: nothing changed' }]);
});

test('one problem keeps all old rules, and all problems are logged', async () => {
  const { quorum, noted, lines } = await reloaded(yaml('quorum: 3, quorm: 1, guests: 7'));
  expect(quorum).toBe(2);
  expect(noted).toEqual([]);
  expect(lines).toMatchObject([
    { msg: 'could not reload the rules: the old ones stay in use', problems: [{}, {}] },
  ]);
});

test('new rules that cannot be recorded in the audit log do not take effect', async () => {
  const { quorum, lines } = await reloaded(yaml('quorum: 3'), { isStoreAway: true });
  expect(quorum).toBe(2);
  expect(lines).toMatchObject([
    { msg: 'could not note the new rules in the audit log: the old ones stay in use' },
  ]);
});

test('other changed settings are reported as needing a restart and do not take effect', async () => {
  const { quorum, lines } = await reloaded(yaml('quorum: 3', 'teams: [T0PARTNER]'));
  expect(quorum).toBe(3);
  expect(lines).toMatchObject([
    { msg: 'other settings need a restart', settings: ['teams'] },
    { msg: 'reloaded the rules' },
  ]);
});

const STRICT = '  strict: { channel: C0PROD, reviewers: { users: [U0ANA] } }';

test.each([
  ['is bound to another route', '{ id: deploys, secret: INTAKE, routes: [strict] }'],
  ['has another default', '{ id: deploys, secret: INTAKE, routes: [strict, production] }'],
  ['is no longer there', '{ id: others, secret: INTAKE, routes: [strict] }'],
])('all old rules stay if a source that runs %s', async (_, source) => {
  const { quorum, noted, lines } = await reloaded(yaml('quorum: 1', STRICT, source));
  expect(quorum).toBe(2);
  expect(noted).toEqual([]);
  expect(lines.at(-1)).toMatchObject({
    msg: 'the file changes the routes of sources: the old rules stay in use until a restart',
    sources: ['deploys'],
  });
});

test('a source that is new, or has another secret, does not keep the old rules', async () => {
  const both = `{ id: deploys, secret: ROTATED, routes: [production] }, { id: others, secret: INTAKE, routes: [strict] }`;
  const rotated = { ...env, ROTATED: 'another-secret-of-the-source' };
  const { quorum, lines } = await reloaded(yaml('quorum: 3', STRICT, both), { env: rotated });
  expect(quorum).toBe(3);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'other settings need a restart', settings: ['sources'] }),
  );
});

test('what is odd in the new rules is logged, as at a start', async () => {
  const { quorum, lines } = await reloaded(yaml('quorum: 3', '  empty: { channel: C0PROD }'));
  expect(quorum).toBe(3);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'routes.empty.reviewers is empty: nobody can decide' }),
  );
});

test('the identity of people and the catalogue are reloaded', async () => {
  const more = `
identity: { userId: externalId, emails: any, overrides: { U0ANA: a-1 } }
catalogue: { testProjects: [{ id: t-1, name: Checkout, space: eng, suites: [] }] }
`;
  const { config, before, now, lines } = await reloaded(yaml('quorum: 2', more));
  expect(config).toMatchObject({
    identityUserId: 'externalId',
    identityEmails: 'any',
    identityOverrides: { U0ANA: 'a-1' },
    catalogue: { testProjects: [{ name: 'Checkout' }] },
  });
  expect(now).not.toBe(before);
  expect(lines.at(-1)).toMatchObject({ msg: 'reloaded the rules' });
});

test('people authorized under old rules are authorized again before anything is sent', () => {
  const sends = { notSent: 0, limited: 0, ambiguous: 0 };
  const asker = { user: 'U0ANA', channel: 'C0PROD', at: NOW };
  const rules = rulesIn(routeWith());
  if (rules === undefined) throw new Error('the route has rules');
  const decision = {
    action: 'approve',
    by: 'U0ANA',
    at: NOW,
    asker,
    rules,
    phase: { name: 'send', sends, askedAt: NOW },
  } as const;
  expect(recheckClick(decision, termsWith(), NOW)).toBeUndefined();
  expect(recheckClick(decision, termsWith({ quorum: 2 }), NOW)).toMatchObject({ user: 'U0ANA' });
  const gone = { ...termsWith(), route: undefined };
  expect(recheckClick(decision, gone, NOW)).toMatchObject({ user: 'U0ANA' });
});

test('an authorization made under rules that were since replaced is repeated', () => {
  const click = { id: 'c', user: 'U0ANA', channel: 'C0PROD', at: NOW, action: 'approve' } as const;
  const asked = approvalWith({ queue: [click] });
  const before = rulesIn(routeWith());
  const found = { kind: 'accepted', rules: before, beside: { others: {} } } as const;
  const now = termsWith({ guests: true });
  const { data } = authorize.apply(asked, { kind: 'authorize', click }, found, now, NOW);
  const { decision } = data;
  if (decision === undefined) throw new Error('it is decided');
  expect(decision.rules).toBe(before);
  expect(recheckClick(decision, now, NOW)).toMatchObject({ user: 'U0ANA' });
});

test('a text of the rules is in the audit log once, and again when half of its time is over', async () => {
  await using store = new Memory(system).openStore();
  const { config } = rulesOf(configWith(yaml('quorum: 2'), env));
  const auditMs = 2 * 3_600_000;
  const put = vi.spyOn(store, 'put');
  const facts = await noteRules({ store, auditMs }, config);
  expect(await noteRules({ store, auditMs }, config)).toEqual(facts);
  const texts: unknown[] = [];
  for await (const { action, facts: said } of store.readAudit({})) texts.push([action, said.route]);
  expect(texts).toEqual([
    ['gatepost.rules.text', 'production'],
    ['gatepost.rules.text', null],
  ]);
  expect(put.mock.calls.map(([, , lifetimeMs]) => lifetimeMs)).toEqual([3_600_000, 3_600_000]);
});

test('a text that could not be noted is written again', async () => {
  const noted: NewAuditEntry[] = [];
  let isAway = true;
  const store = storeWith(async (entry) => {
    if (isAway) throw new StoreError('unavailable', 'away');
    noted.push(entry);
  });
  const { config } = rulesOf(configWith(yaml('quorum: 2'), env));
  await expect(noteRules({ store, auditMs: 1_000 }, config)).rejects.toThrow('away');
  isAway = false;
  await noteRules({ store, auditMs: 1_000 }, config);
  expect(noted).toHaveLength(2);
});

test('a text that is too long for an entry is left out, and its digest stays', async () => {
  const noted: NewAuditEntry[] = [];
  const people = Array.from({ length: 5_000 }, (_, n) => `U${String(n).padStart(12, '0')}: a-${n}`);
  const more = `identity: { overrides: { ${people.join(', ')} } }`;
  const store = storeWith(async (entry) => void noted.push(entry));
  await noteRules({ store, auditMs: 1_000 }, configWith(yaml('quorum: 2', more), env));
  const digest = expect.stringMatching(/^[\w-]{12}$/);
  expect(noted.at(-1)).toMatchObject({ facts: { digest, route: null, text: null } });
});
