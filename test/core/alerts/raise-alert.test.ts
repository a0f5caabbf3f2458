import { expect, test } from 'vitest';
import { ALERT_KIND } from '../../../src/core/alerts/alert.ts';
import { createAlertFlow, SILENCE_MS } from '../../../src/core/alerts/alert-flow.ts';
import { raiseAlert, stuckAlert } from '../../../src/core/alerts/raise-alert.ts';
import { work } from '../../../src/core/engine/lease-session.ts';
import type { Logger } from '../../../src/core/engine/reconciler.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { PeopleLookup } from '../../../src/core/slack/lookup.ts';
import type { Replies } from '../../../src/core/slack/replies.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { fake } from '../../support/fake.ts';
import { openEmbeddedWorld } from '../store/embedded-world.ts';
import { collect } from '../store/store-world.ts';

const archived = { about: 'approvals.channel-archived.C0PROD', text: 'It is archived.' };
const denied = { about: 'approvals.look-denied', text: 'Not let in.' };

/** A store, and who received which alerts. */
async function openStage(administrators: { users?: string[]; groups?: string[] } = {}) {
  const world = await openEmbeddedWorld();
  const [store] = world.stores;
  const heard: string[] = [];
  const flow = createAlertFlow({
    replies: fake<Replies>({
      direct: async ({ user, text }) => void heard.push(`${user}: ${text}`),
    }),
    lookup: {
      recent: fake<PeopleLookup>({
        groupMembers: async (id) =>
          id === 'S0ADM'
            ? { users: ['U0ANA', 'U0DANA'], missing: null }
            : { users: [], missing: 'unknown_group' },
      }),
    },
    logger: fake<Logger>({
      warn: (facts: object, message: string) => heard.push(line(message, facts)),
    }),
    timing: TRUE_TIME,
  });
  return {
    store,
    heard,
    pass: world.pass,
    raise: (alert: typeof archived) =>
      raiseAlert({ store, administrators: { users: [], groups: [], ...administrators } }, alert),
    carryOut: () => carryOut(store, flow),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function line(message: string, facts: object): string {
  return `log: ${message} ${JSON.stringify(facts)}`;
}

async function carryOut(store: Store, flow: ReturnType<typeof createAlertFlow>): Promise<void> {
  const { held } = await store.claim('people', 10);
  for (const each of held) {
    expect(each.record.kind).toBe(ALERT_KIND);
    await work(each, flow, {
      store,
      monotonic: () => performance.now(),
      sleep: async () => {},
      newId: () => crypto.randomUUID(),
      timing: TRUE_TIME,
      onVanished: () => {},
      onStep: () => {},
    });
  }
}

test('administrators and the members of their groups are told, each once', async () => {
  await using stage = await openStage({ users: ['U0DANA'], groups: ['S0ADM'] });
  await stage.raise(archived);
  await stage.carryOut();
  expect(stage.heard).toEqual([
    'log: administrators have to act {"about":"approvals.channel-archived.C0PROD","text":"It is archived.","administrators":2}',
    'U0DANA: It is archived.',
    'U0ANA: It is archived.',
  ]);
});

test('the same alert is sent once an hour, and others at once', async () => {
  await using stage = await openStage({ users: ['U0DANA'] });
  for (let times = 0; times < 50; times++) await stage.raise(archived);
  await stage.raise(denied);
  await stage.carryOut();
  await stage.raise(archived);
  await stage.carryOut();
  const told = () => stage.heard.filter((text) => text.startsWith('U0DANA'));
  expect(told()).toEqual(['U0DANA: It is archived.', 'U0DANA: Not let in.']);
  await stage.pass(SILENCE_MS + 1_000);
  await stage.raise(archived);
  await stage.carryOut();
  expect(told()).toHaveLength(3);
});

test('without administrators, alerts only go to the log, at most once an hour', async () => {
  await using stage = await openStage();
  await stage.raise(archived);
  await stage.carryOut();
  await stage.raise(archived);
  await stage.carryOut();
  expect(stage.heard).toEqual([expect.stringContaining('"administrators":0')]);
});

test('a missing group of administrators is reported in the log', async () => {
  await using stage = await openStage({ groups: ['S0GONE'] });
  await stage.raise(archived);
  await stage.carryOut();
  expect(stage.heard[1]).toBe(
    'log: a group of administrators is empty {"group":"S0GONE","missing":"unknown_group"}',
  );
});

test('an alert is recorded in the audit log', async () => {
  await using stage = await openStage();
  await stage.raise(archived);
  expect(await collect(stage.store.readAudit({}))).toMatchObject([
    { action: 'alerts.raised', actor: 'gatepost', facts: { about: archived.about } },
  ]);
});

test('an alert about a record without progress says which record it is and what to do', () => {
  const record = { id: '0-abc', kind: 'approval', data: '', lane: 'people', dueAt: 0 } as const;
  expect(stuckAlert({ ...record, place: null, uniqueKey: null, lists: [] })).toMatchInlineSnapshot(`
    {
      "about": "records.stuck.approval",
      "text": "Gatepost is stuck on one record (approval \`0-abc\`): every attempt fails or never finishes, so Gatepost retries it less and less often. Search the log for this id and report what it says.",
    }
  `);
});
