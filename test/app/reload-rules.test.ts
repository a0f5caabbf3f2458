import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { rulesReloader } from '../../src/app/reload-rules.ts';
import { authorize } from '../../src/approvals/decision/authorize.ts';
import { recheckClick, rulesIn } from '../../src/approvals/decision/reauthorize.ts';
import { digestOf, ruleSettings, rulesOf } from '../../src/core/config/rules.ts';
import { type NewAuditEntry, StoreError } from '../../src/core/store/store.ts';
import { approvalWith, NOW, routeWith, termsWith } from '../approvals/approvals.ts';
import { configWith, readWith } from '../core/config/environment-of-tests.ts';

const yaml = (rules: string, more = '') => `
sources: [{ id: deploys, secret: INTAKE, routes: [production] }]
routes:
  production: { channel: C0PROD, ${rules} }
${more}
`;

const env = { INTAKE: 'the-secret-of-the-source' };

/** The rules before and after a reload, and what is logged. */
async function reloaded(text: string, { isStoreAway = false } = {}) {
  const rules = rulesOf(configWith(yaml('quorum: 2'), env));
  const before = digestOf(ruleSettings(rules.config));
  const noted: NewAuditEntry[] = [];
  const lines: { readonly msg: string; readonly [fact: string]: unknown }[] = [];
  const logger = pino(
    { base: null },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const store = {
    async writeAudit(entry: NewAuditEntry) {
      if (isStoreAway) throw new StoreError('unavailable', 'away');
      noted.push(entry);
      return 'id';
    },
  };
  await rulesReloader({ rules, store, logger, run: 'r1' })(readWith(text, env));
  const quorum = rules.config.routes.find(({ name }) => name === 'production')?.quorum;
  const { config } = rules;
  return { config, quorum, before, now: digestOf(ruleSettings(rules.config)), noted, lines };
}

test('reloaded rules take effect, and the audit log has both digests', async () => {
  const { quorum, before, now, noted, lines } = await reloaded(yaml('quorum: 3'));
  expect(quorum).toBe(3);
  expect(now).not.toBe(before);
  const facts = { run: 'r1', from: before, to: now };
  expect(noted).toEqual([{ action: 'gatepost.rules', record: null, actor: 'gatepost', facts }]);
  expect(lines).toMatchObject([{ msg: 'reloaded the rules', from: before, to: now }]);
});

test('of two reloads at once the last one stays, however slow the store is', async () => {
  const rules = rulesOf(configWith(yaml('quorum: 2'), env));
  const waiting: (() => void)[] = [];
  const noted: NewAuditEntry[] = [];
  const store = {
    async writeAudit(entry: NewAuditEntry) {
      await new Promise<void>((resolve) => void waiting.push(resolve));
      noted.push(entry);
      return 'id';
    },
  };
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
  expect(lines).toMatchObject([{ msg: 'reloaded the rules' }]);
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
