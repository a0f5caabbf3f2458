import fc from 'fast-check';
import { expect, test } from 'vitest';
import { STATUS_OF } from '../../src/approvals/approval.ts';
import { approvalMessage } from '../../src/approvals/tell/message/message.ts';
import { messageStateOf } from '../../src/approvals/tell/message/message-state.ts';
import { saysMore } from '../../src/approvals/tell/message/overflow.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { literal, mrkdwn } from '../../src/core/slack/text.ts';
import { cases } from '../support/cases.ts';
import { LINKS } from './approvals.ts';
import { ApprovalWorld, type Case } from './world/approval-world.ts';
import { Chance } from './world/chance.ts';
import type { GateStatus } from './world/gate.ts';
import { PEOPLE, type Person, REQUESTER, routeOf, SERVICE_USERS } from './world/people.ts';

const HOUR_MS = 3_600_000;

type Happening =
  | { readonly kind: 'press'; readonly who: Person; readonly what: 'approve' | 'reject' | 'check' }
  | { readonly kind: 'account'; readonly who: Person }
  | { readonly kind: 'check' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'elsewhere'; readonly status: Exclude<GateStatus, 'PENDING'> };

interface Scene {
  readonly afterMs: number;
  readonly what: Happening;
  readonly pick: number;
}

const press = fc.record({
  kind: fc.constant('press' as const),
  who: fc.constantFrom(...PEOPLE),
  what: fc.constantFrom('approve', 'approve', 'reject', 'check'),
});
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 12, arbitrary: press },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('account' as const),
      who: fc.constantFrom(...PEOPLE),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'check' } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: 'delete' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('elsewhere' as const),
      status: fc.constantFrom('APPROVED', 'REJECTED', 'TIMED_OUT'),
    }),
  },
);
const script: fc.Arbitrary<Scene[]> = fc.array(
  fc.record({
    afterMs: fc.constantFrom(300, 0, 20, 1_500, 6_000, 16_000, 60_000),
    what: happening,
    pick: fc.nat({ max: 3 }),
  }),
  { maxLength: 14, size: 'max' },
);
const setting: fc.Arbitrary<Case> = fc.record({
  quorum: fc.constantFrom(1, 2, 3),
  used: fc.constantFrom<Case['used']>('status', 409, 404, 410),
  message: fc.boolean(),
});
const tape = fc.array(fc.nat({ max: 500 }), { maxLength: 70, size: 'max' });

/** For a longer search, or to repeat a failure: RULES='{"numRuns":5000}', RULES='{"seed":…,"path":"…"}'. */
const parameters = { numRuns: cases(20, 1_000), ...JSON.parse(process.env.RULES ?? '{}') };

test('an approval keeps its promises whatever fails', { timeout: 900_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(setting, script, tape, async (setting, script, tape) => {
      const world = new ApprovalWorld(setting, new Chance(tape));
      try {
        await live(world, script);
        judge(world, setting);
      } catch (error) {
        throw new Error(`${error}\n${world.log.join('\n')}`);
      }
    }),
    parameters,
  );
});

async function live(world: ApprovalWorld, script: readonly Scene[]): Promise<void> {
  for (const { afterMs, what, pick } of script) {
    await world.runUntil(() => false, afterMs);
    happen(world, what, pick);
  }
  const rests = await world.runUntil(() => isAtRest(world), 4 * HOUR_MS);
  expect(rests, 'the world behaves and the approval rests').toBe(true);
  world.gate.decideElsewhere('TIMED_OUT');
  const hasEnded = () => world.box.dueAt === null;
  const ends = await world.runUntil(hasEnded, 6 * HOUR_MS);
  expect(ends, 'the gate is decided and the approval ends').toBe(true);
}

function happen(world: ApprovalWorld, what: Happening, pick: number): void {
  world.note(JSON.stringify(what));
  switch (what.kind) {
    case 'press':
      void world.press(what.who, what.what, pick);
      break;
    case 'account':
      world.changeAccount(what.who);
      break;
    case 'check':
      void world.signal({ kind: 'check' });
      break;
    case 'delete': {
      const [message] = world.workspace.of('message');
      if (message !== undefined) world.workspace.delete(message);
      break;
    }
    case 'elsewhere':
      world.gate.decideElsewhere(what.status);
  }
}

/** Nothing is left to do for people. */
function isAtRest({ box, timeline }: ApprovalWorld): boolean {
  if (box.dueAt === null) return true;
  return !box.isHeld && box.lane === 'background' && box.dueAt > timeline.now;
}

function judge(world: ApprovalWorld, setting: Case): void {
  expect(world.faults.join('\n')).toBe('');
  const { approval, gate, box } = world;
  const { outcome } = approval;
  expect(approval).toMatchObject({ queue: [], replies: [] });
  expect(approval.decision).toBeUndefined();
  expect(box.largest).toBeLessThan(6_000);

  const told = box.audit.filter(({ action }) => action === 'approvals.outcome');
  expect(new Set(told.map(({ facts }) => JSON.stringify(facts))).size).toBeLessThan(2);
  const mayStayUnknown = setting.used === 404 || setting.used === 410;
  if (outcome === undefined) {
    expect(mayStayUnknown && approval.watch.state === 'unknown').toBe(true);
  } else {
    expect(outcome.status).toBe(gate.status);
    const taken = PEOPLE.find((person) => SERVICE_USERS[person] === gate.takenFrom);
    if (taken !== undefined) expect(outcome.by).toContain(taken);
    else if (!gate.isMisleading) expect(outcome.credit).not.toBe('certain');
  }
  judgeMessages(world, setting);
  for (const click of world.clicks) {
    const isCredited =
      outcome?.status === STATUS_OF[click.action] && outcome.by.includes(click.user);
    const isTold = world.told.some(({ user, at }) => user === click.user && at >= click.at);
    expect(isCredited || isTold, `${click.user} is answered`).toBe(true);
  }
}

function judgeMessages({ workspace, approval, timeline }: ApprovalWorld, setting: Case): void {
  const at = { route: routeOf(setting), asOf: timeline.now };
  const terms = { ...at, timing: TRUE_TIME, links: LINKS };
  const state = messageStateOf(approval, terms, timeline.now);
  const { text, blocks } = approvalMessage('0-only', approval, state, terms);
  const message = workspace.messages.findLast(({ post }) => post.startsWith('message'));
  const deletions = workspace.deletions;
  // A deletion is noticed when the message has to change, and repaired a few times.
  const mended = approval.outcome === undefined ? 1 : 2;
  if (deletions <= mended || message?.isDeleted === false) {
    expect(withoutRequester(message?.shown)).toBe(withoutRequester(JSON.stringify([text, blocks])));
  }
  expect(workspace.of('message').length).toBe(message?.isDeleted === false ? 1 : 0);
  expect(deletions > 0 || message?.isDeleted === false).toBe(true);
  if (approval.outcome === undefined) return;
  const reply = saysMore(approval) ? 'outcome-request' : 'outcome-thread';
  for (const name of [reply, 'outcome-channel', 'outcome-requester']) {
    const isRefused = approval.posts.some((post) => post.name === name && post.failed);
    const isNobody = name === 'outcome-requester' && approval.requester?.user === undefined;
    const mayMiss = isRefused || isNobody || deletions > 0;
    expect(workspace.of(name).length, name).toBeGreaterThanOrEqual(mayMiss ? 0 : 1);
  }
}

/** The requester may be found after the last change of the message. */
function withoutRequester(shown = ''): string {
  const asked = [
    `${JSON.stringify(literal(`Asked by ${REQUESTER.email}`))},`,
    JSON.stringify(literal(`Asked by ${REQUESTER.email}`)),
    JSON.stringify(mrkdwn(`Asked by <@${REQUESTER.user}>`)),
    `Asked by <@${REQUESTER.user}> · `,
    ` · asked by ${REQUESTER.email}`,
  ];
  return asked.reduce((left, each) => left.replace(each, ''), shown);
}
