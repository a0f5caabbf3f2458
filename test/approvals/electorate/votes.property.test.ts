import fc from 'fast-check';
import { test } from 'vitest';
import type { Approval, Decision } from '../../../src/approvals/approval.ts';
import {
  type Authorize,
  authorize,
  dueClick,
  dueReauthorization,
} from '../../../src/approvals/decision/authorize.ts';
import type { Authorization } from '../../../src/approvals/electorate/authorization.ts';
import { electorateOf } from '../../../src/approvals/electorate/electorate.ts';
import { isHelping, tally } from '../../../src/approvals/electorate/tally.ts';
import type { Terms } from '../../../src/approvals/electorate/terms.ts';
import type { Place } from '../../../src/core/config/config.ts';
import { cases } from '../../support/cases.ts';
import { approvalWith, NOW, termsWith } from '../approvals.ts';

/**
 * Needs compared with a model that tries every assignment: people press in any order, with either account or by their
 * substitute, and join and leave groups and the company in between.
 */

const PEOPLE = 5;
const GROUPS = 4;
const LATER = NOW + 600_000;

type Event =
  | { readonly kind: 'press' | 'leave'; readonly who: number; readonly by: keyof typeof IDS }
  | { readonly kind: 'group'; readonly who: number; readonly group: number };

interface Scene {
  /** A bit set of groups, per person. */
  readonly groups: readonly number[];
  readonly needs: readonly PlannedNeed[];
  /** How many of them are the route's; the request adds the others. */
  readonly ofRoute: number;
  readonly quorums: readonly [number, number];
  readonly events: readonly Event[];
  readonly after: readonly Event[];
}

/** Bit sets of people and of groups. */
interface PlannedNeed {
  readonly users: number;
  readonly groups: number;
  readonly count: number;
}

const who = fc.nat({ max: PEOPLE - 1 });
const by = fc.constantFrom('first', 'second', 'substitute');
const press = fc.record({ kind: fc.constant('press' as const), who, by });
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: press },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('group' as const),
      who,
      group: fc.nat({ max: GROUPS - 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('leave' as const), who, by }),
  },
);
const bits = (count: number) => fc.nat({ max: 2 ** count - 1 });
const scene: fc.Arbitrary<Scene> = fc.record({
  groups: fc.tuple(...Array.from({ length: PEOPLE }, () => bits(GROUPS))),
  needs: fc.array(
    fc.record({
      users: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, bits(PEOPLE)),
      groups: bits(GROUPS),
      count: fc.constantFrom(1, 1, 2),
    }),
    { maxLength: 3 },
  ),
  ofRoute: fc.nat({ max: 3 }),
  quorums: fc.tuple(fc.constantFrom(1, 1, 2, 3), fc.constantFrom(1, 1, 2, 4)),
  events: fc.array(event, { maxLength: 10, size: 'max' }),
  after: fc.array(event, { maxLength: 3 }),
});

const has = (set: number, bit: number) => (set & (1 << bit)) !== 0;
const listOf = (set: number, of: readonly string[]) => of.filter((_, at) => has(set, at));
const FIRST = ['U0', 'U1', 'U2', 'U3', 'U4'];
/** The accounts that press for a person: two of their own, and their substitute's. */
const IDS = {
  first: FIRST,
  second: ['V0', 'V1', 'V2', 'V3', 'V4'],
  substitute: ['W0', 'W1', 'W2', 'W3', 'W4'],
} as const;
const GROUP_IDS = ['S0', 'S1', 'S2', 'S3'];
const personOf = (user: string) => Number(user[1]);

/** A person whose approval counts, with the groups of their last authorization. */
interface Approver {
  readonly who: number;
  readonly groups: number;
}

/** Tries every person for every place, one place after the other; a place can stay open. */
function mostFilled(places: readonly PlannedNeed[], people: readonly Approver[]): number {
  const [place, ...rest] = places;
  if (place === undefined) return 0;
  let most = mostFilled(rest, people);
  for (const person of people) {
    if (!has(place.users, person.who) && (place.groups & person.groups) === 0) continue;
    const others = people.filter((each) => each !== person);
    most = Math.max(most, 1 + mostFilled(rest, others));
  }
  return most;
}

/** The requirements, and the truth about its people. */
class Judge {
  readonly quorum: number;
  readonly places: readonly PlannedNeed[];
  readonly current: number[];
  readonly gone = new Set<number>();
  approvers: Approver[] = [];

  constructor({ groups, needs, quorums }: Scene) {
    this.quorum = Math.max(...quorums);
    this.places = needs.flatMap((need) => Array.from({ length: need.count }, () => need));
    this.current = [...groups];
  }

  happen(event: Event): void {
    if (event.kind === 'leave') this.gone.add(event.who);
    if (event.kind === 'group') {
      this.current[event.who] = (this.current[event.who] ?? 0) ^ (1 << event.group);
    }
  }

  filled(people: readonly Approver[] = this.approvers): number {
    return mostFilled(this.places, people);
  }

  isEnough(people: readonly Approver[] = this.approvers): boolean {
    return people.length >= this.quorum && this.filled(people) === this.places.length;
  }

  /** How many new people are needed, each of whom can fill any open place. */
  missing(people: readonly Approver[] = this.approvers): number {
    for (let more = 0; ; more += 1) {
      const open = this.places.length - this.filled(people);
      if (people.length + more >= this.quorum && more >= open) return more;
    }
  }

  /** Everybody as they are now, without those who left. */
  askAgain(): void {
    this.approvers = this.approvers.flatMap(({ who }) =>
      this.gone.has(who) ? [] : [this.of(who)],
    );
  }

  approve(who: number): void {
    this.approvers = [...this.approvers.filter((each) => each.who !== who), this.of(who)];
  }

  /** The result of an authorization. */
  authorization(user: string): Authorization {
    const who = personOf(user);
    if (this.gone.has(who)) return { kind: 'not-allowed', code: 'deactivated' };
    const through = listOf(this.current[who] ?? 0, GROUP_IDS);
    const groups = through.length > 0 && { through };
    if (user.startsWith('W')) {
      const giver = { user: `U${who}`, alsoKnownAs: [`V${who}`] };
      return { kind: 'accepted', for: giver, ...groups };
    }
    const alsoKnownAs = [user.startsWith('U') ? `V${who}` : `U${who}`];
    return { kind: 'accepted', alsoKnownAs, ...groups };
  }

  of(who: number): Approver {
    return { who, groups: this.current[who] ?? 0 };
  }
}

function needOf({ users, groups, count }: PlannedNeed, at: number): Place {
  return {
    name: `need ${at}`,
    count,
    of: { users: listOf(users, FIRST), groups: listOf(groups, GROUP_IDS) },
  };
}

function must(holds: boolean, what: string, seen?: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

function resultFor({ click, others = [] }: Authorize, judge: Judge) {
  const found = others.map((user) => [user, judge.authorization(user)] as const);
  return { ...judge.authorization(click.user), beside: { others: Object.fromEntries(found) } };
}

/** Somebody presses Approve with one of their accounts. */
function pressed(before: Approval, user: string, judge: Judge, terms: Terms): Approval {
  const click = { id: 'c', user, channel: 'C0PROD', at: NOW, action: 'approve' } as const;
  const queued = { ...before, queue: [click], replies: [] };
  const step = dueClick(queued, terms, NOW);
  if (step === null || typeof step === 'number') throw new Error('a press is due');
  const { data } = authorize.apply(queued, step, resultFor(step, judge), terms, NOW);
  const who = personOf(user);
  if (judge.gone.has(who)) {
    must(data.decision === undefined, 'who left decides', data);
    return data;
  }
  if (step.others !== undefined) judge.askAgain();
  judge.approve(who);
  const { decision } = data;
  must((decision !== undefined) === judge.isEnough(), 'decided', decision ?? judge.approvers);
  if (decision !== undefined) checkApprovers(decision, data, judge);
  else checkProgress(data, who, judge, terms);
  return data;
}

function checkProgress(data: Approval, who: number, judge: Judge, terms: Terms): void {
  const electorate = electorateOf(data, terms);
  const progress = tally(electorate, data.ballots);
  const { have, needed, needs, open, isEnough } = progress;
  must(have === judge.approvers.length, 'how many approve', progress);
  must(needed === Math.max(judge.quorum, judge.places.length), 'how many have to', progress);
  must(isEnough === judge.isEnough(), 'enough', progress);
  const filled = needs.reduce((sum, each) => sum + each.have, 0);
  must(filled === judge.filled(), 'filled places', progress);
  must(
    needs.every((each) => each.have <= each.count),
    'more than there are',
    progress,
  );
  const missing = open.reduce((sum, { count }) => sum + count, 0);
  must(missing === judge.places.length - filled, 'open places', progress);
  // A new person in no group would help exactly if no need is reported as open.
  const wanted = new Set(open.flatMap(({ of }) => of));
  let first = 0;
  for (const [at, need] of needs.entries()) {
    const place = judge.places[first];
    if (place === undefined) throw new Error('a need without places');
    const nobody = { users: 1 << PEOPLE, groups: 0, count: 1 };
    const places = judge.places.map((each) =>
      each === place ? { ...each, users: each.users | nobody.users } : each,
    );
    const more = mostFilled(places, [...judge.approvers, { who: PEOPLE, groups: 0 }]);
    must(more > filled === wanted.has(need.name), `need ${at} is open`, { more, filled, progress });
    first += need.count;
  }
  const ballot = data.ballots.find(({ user }) => personOf(user) === who);
  if (ballot === undefined) throw new Error('it counts');
  const others = judge.approvers.filter((each) => each.who !== who);
  const isHelpful = judge.missing() < judge.missing(others);
  must(isHelping(electorate, data.ballots, ballot) === isHelpful, 'brings it closer', progress);
}

function checkApprovers(decision: Decision, { ballots }: Approval, judge: Judge): void {
  const { approvers, by } = decision;
  if (judge.places.length === 0) {
    must(approvers === undefined, 'named although nobody is needed', approvers);
    return;
  }
  if (approvers === undefined) throw new Error('nobody is named');
  const used = judge.approvers.filter(({ who }) =>
    approvers.some((user) => personOf(user) === who),
  );
  must(
    approvers.every((user) => ballots.some((each) => each.user === user)),
    'a ballot',
    approvers,
  );
  must(used.length === approvers.length, 'people who approve, once each', approvers);
  must(approvers.includes(by), 'who decides is named', decision);
  must(judge.isEnough(used), 'those who are named are enough', approvers);
  const needed = Math.max(judge.quorum, judge.places.length);
  // The person who decides takes somebody else's place, unless there is none for them.
  const decider = used.filter(({ who }) => who === personOf(by));
  const isOver = judge.filled(decider) === 0 && judge.quorum <= judge.places.length;
  must(used.length === needed + (isOver ? 1 : 0), 'no more than it takes', { approvers, needed });
}

/** A delayed decision is made again with everybody's current permissions. */
function checkAgain(decided: Approval, decision: Decision, judge: Judge, terms: Terms): void {
  const step = dueReauthorization(decided, terms, LATER);
  if (step === null || typeof step === 'number') throw new Error('it is due');
  const { data } = authorize.apply(decided, step, resultFor(step, judge), terms, LATER);
  const isGone = judge.gone.has(personOf(decision.by));
  judge.askAgain();
  const holds = !isGone && judge.isEnough();
  must((data.decision !== undefined) === holds, 'goes on', data.decision ?? judge.approvers);
  if (data.decision !== undefined) checkApprovers(data.decision, data, judge);
  const left = data.ballots.map(({ user }) => personOf(user)).sort();
  const counted = judge.approvers.map(({ who }) => who).sort();
  must(`${left}` === `${counted}`, 'who left is dropped', { left, counted });
}

/** For a longer search, or to repeat a failure: VOTES='{"numRuns":1000000}', VOTES='{"seed":…,"path":"…"}'. */
const SEARCH = { numRuns: cases(1_000, 100_000), ...JSON.parse(process.env.VOTES ?? '{}') };

test('a request is approved exactly when different people cover every need and the quorum is reached', () => {
  let decisions = 0;
  fc.assert(
    fc.property(scene, (scene) => {
      const { needs, ofRoute, quorums, events, after } = scene;
      const judge = new Judge(scene);
      const all = needs.map(needOf);
      const terms = termsWith({ quorum: quorums[0], need: all.slice(0, ofRoute) });
      const [, quorum] = quorums;
      let approval = approvalWith({ quorum, needs: all.slice(ofRoute) });
      for (const event of events) {
        judge.happen(event);
        if (event.kind !== 'press') continue;
        const user = IDS[event.by][event.who] ?? '';
        approval = pressed(approval, user, judge, terms);
        const { decision } = approval;
        if (decision === undefined) continue;
        decisions += 1;
        for (const later of after) judge.happen(later);
        checkAgain(approval, decision, judge, terms);
        return;
      }
    }),
    SEARCH,
  );
  must(decisions > SEARCH.numRuns / 10, 'many are decided', decisions);
});
