import { system } from '../../src/core/lib/system.ts';
import { auditSigner } from '../../src/core/store/audit-chain.ts';
import { checkpointEntry } from '../../src/core/store/checkpoint.ts';
import { createEmbeddedStore } from '../../src/core/store/embedded/create-embedded-store.ts';
import type { NewAuditEntry, Store } from '../../src/core/store/store.ts';

/** A log with one of everything that a report says, written at times of 2026. */

const KEY = { id: 'k1', key: Buffer.alloc(32, 7) };
export const KEYS = `k1:${KEY.key.toString('base64')}`;

export type Facts = NewAuditEntry['facts'];

/** Writes the entries at these times; a null action is a checkpoint. Closed when it returns. */
export async function writeLog(
  folder: string,
  entries: readonly (readonly [
    time: string,
    action: string | null,
    record: string | null,
    actor: string,
    facts: Facts,
  ])[],
): Promise<void> {
  let now = 0;
  const clock = { ...system.clock, now: () => now };
  const signAudit = auditSigner([KEY]);
  await using store = await createEmbeddedStore({ ...system, clock, folder, signAudit });
  for (const [time, action, record, actor, facts] of entries) {
    now = Date.parse(`2026-${time}Z`);
    if (action === null) await seal(store);
    else await store.writeAudit({ action, record, actor, facts });
  }
}

async function seal(store: Store): Promise<void> {
  const { shard, head, lastAt, anchor, now } = await store.auditChain(0);
  const covered = { shard, covers: head.seq, link: head.link };
  const body = { run: 'r1', ...covered, time: now, removed: anchor.seq };
  await store.writeAudit(checkpointEntry(body), { checkpointOf: { shard, at: lastAt, ...head } });
}

const A = '0-aaaaaaaaaaaaaaaa';
const B = '0-bbbbbbbbbbbbbbbb';
const C = '0-cccccccccccccccc';
const D = '0-dddddddddddddddd';

const rulesText = (digest: string, route: string | null, text: object): Facts => ({
  digest,
  route,
  text: JSON.stringify(text),
});
const inForce = (production: string) => ({
  routes: JSON.stringify({ default: 'r-default', production }),
  people: 'r-people',
});

export const QUARTER: Parameters<typeof writeLog>[1] = [
  [
    '09-28T08:00:00',
    'gatepost.rules.text',
    null,
    'gatepost',
    rulesText('r-default', 'default', { name: 'default', quorum: 1 }),
  ],
  [
    '09-28T08:00:00',
    'gatepost.rules.text',
    null,
    'gatepost',
    rulesText('r-prod-1', 'production', { name: 'production', quorum: 1 }),
  ],
  [
    '09-28T08:00:00',
    'gatepost.rules.text',
    null,
    'gatepost',
    rulesText('r-people', null, { identityEmails: 'confirmed' }),
  ],
  [
    '09-28T08:00:01',
    'gatepost.start',
    null,
    'gatepost',
    {
      run: 'r1',
      version: '1.2.3',
      config: 'k1.x',
      mode: 'http',
      rules: 'rules-1',
      ...inForce('r-prod-1'),
    },
  ],
  [
    '09-30T23:59:00',
    'approvals.asked',
    A,
    'deploys',
    {
      route: 'production',
      channel: 'C0PROD',
      title: 'Deploy <checkout> 4.2',
      'requester.verified': true,
      subject: 'repo:acme/shop',
      repository: 'acme/shop',
    },
  ],
  [
    '09-30T23:59:01',
    'approvals.requester',
    A,
    'deploys',
    { 'requester.known': true, user: 'U0CLEO' },
  ],
  ['09-30T23:59:02', null, null, '', {}],
  [
    '10-01T00:01:00',
    'approvals.ballot',
    A,
    'U0ANA',
    { action: 'approve', serviceUser: null, through: 'named' },
  ],
  [
    '10-01T00:01:20',
    'approvals.ballot',
    A,
    'U0BEN',
    { action: 'approve', serviceUser: null, through: 'S0SRE,channel', for: 'U0DANA' },
  ],
  [
    '10-01T00:01:21',
    'approvals.outcome',
    A,
    'U0ANA,U0BEN',
    {
      route: 'production',
      tookMs: 141_000,
      status: 'APPROVED',
      credit: 'certain',
      resolvedAt: null,
      digest: 'd-a',
      rules: 'r-prod-1',
    },
  ],
  [
    '10-02T09:00:00',
    'gatepost.rules.text',
    null,
    'gatepost',
    rulesText('r-prod-2', 'production', { name: 'production', quorum: 2 }),
  ],
  [
    '10-02T09:00:00',
    'gatepost.rules',
    null,
    'gatepost',
    { run: 'r1', from: 'rules-1', to: 'rules-2', ...inForce('r-prod-2') },
  ],
  [
    '10-03T10:00:00',
    'approvals.asked',
    B,
    'agents',
    { route: 'default', channel: 'C0OPS', title: 'Drop the old index', 'requester.known': false },
  ],
  [
    '10-03T10:00:10',
    'approvals.ballot',
    B,
    'U0ANA',
    { action: 'approve', serviceUser: null, through: 'S0SRE' },
  ],
  ['10-03T10:00:20', 'approvals.taken-back', B, 'U0ANA', { undone: 'U0ANA' }],
  [
    '10-03T10:00:30',
    'approvals.ballot',
    B,
    'U0EVE',
    { action: 'reject', refused: 'not-a-reviewer' },
  ],
  [
    '10-03T10:00:40',
    'approvals.ballot',
    B,
    'U0BEN',
    { action: 'reject', serviceUser: null, through: 'channel' },
  ],
  [
    '10-03T10:00:41',
    'approvals.outcome',
    B,
    'U0BEN',
    {
      route: 'default',
      tookMs: 41_000,
      status: 'REJECTED',
      credit: 'certain',
      resolvedAt: null,
      digest: 'd-b',
      rules: 'r-default',
    },
  ],
  ['10-04T11:00:00', 'approvals.asked', C, 'deploys', { route: 'production', channel: 'C0PROD' }],
  [
    '10-04T11:00:01',
    'approvals.requester',
    C,
    'deploys',
    { 'requester.known': true, user: 'U0ANA' },
  ],
  [
    '10-04T11:01:00',
    'approvals.ballot',
    C,
    'U0ANA',
    { action: 'approve', serviceUser: null, through: 'named' },
  ],
  [
    '10-04T11:03:00',
    'approvals.outcome',
    C,
    'U0ANA',
    {
      route: 'production',
      tookMs: 180_000,
      status: 'APPROVED',
      credit: 'certain',
      resolvedAt: null,
      digest: 'd-c',
      rules: 'r-prod-2',
      authority: 'gatepost',
    },
  ],
  ['10-04T11:03:00', 'approvals.self-approval', C, 'U0ANA', { route: 'production' }],
  [
    '10-04T12:00:00',
    'approvals.self-approval.reviewed',
    C,
    'U0BEN',
    { of: 'U0ANA', route: 'production' },
  ],
  [
    '10-05T12:00:00',
    'people.outcome',
    null,
    'U0ADMIN',
    { what: 'deactivate', account: 'a-17', outcome: 'deactivated' },
  ],
  [
    '10-06T12:00:00',
    'approvals.asked',
    D,
    'deploys',
    { route: 'production', channel: 'C0PROD', title: 'Deploy 4.3', 'requester.known': false },
  ],
  ['10-06T12:30:00', 'approvals.withdrawn', D, 'deploys', {}],
  [
    '10-07T12:00:00',
    'approvals.asked',
    `${D}2`,
    'deploys',
    {
      route: 'production',
      channel: 'C0PROD',
      title: '=SUM(1) Deploy 4.4',
      'requester.known': false,
    },
  ],
  [
    '10-07T12:10:00',
    'approvals.closed',
    null,
    'U0ADMIN',
    { route: 'production', until: '2026-10-08T06:00:00.000Z', why: 'freeze' },
  ],
  ['10-07T12:11:00', null, null, '', {}],
  [
    '10-08T12:00:00',
    'approvals.outcome',
    '0-eeeeeeeeeeeeeeee',
    'gatepost',
    { route: 'default', tookMs: 9_000, status: 'TIMED_OUT', credit: 'none', resolvedAt: null },
  ],
  ['11-01T00:00:00', 'approvals.withdrawn', `${D}2`, 'deploys', {}],
];
