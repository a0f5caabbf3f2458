import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Block } from '../../sandbox/wire.ts';
import { otherTeamId, team } from '../../sandbox/workspace/seed.ts';
import type { Delivery } from '../../sandbox/workspace/user-actions.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Press } from './evidence.ts';
import type { Gate, Observer } from './observer.ts';
import { neededOf } from './places.ts';
import type { Scheduler } from './scheduler.ts';
import {
  CHANGING,
  CLEO_ACCOUNT,
  CLEO_EXTERNAL,
  GROUP,
  REQUEST_CHANNELS,
  routeNamed,
  SECOND,
  SECOND_EMAIL,
  UNKNOWN,
} from './settings.ts';

interface PeopleNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly now: () => number;
  /** See `yamlOf`. */
  readonly byExternalId: boolean;
  /**
   * Slack has not confirmed her address yet: Gatepost does not know her account, nor that her second Slack account is
   * hers.
   */
  readonly isCleoNew: boolean;
  /** Others are away instead. */
  readonly leavesSeldom: boolean;
}

/**
 * twin: another account in the service has their address, so that it is not clear which is theirs. unlisted: the
 * service does not list their account. new: Slack has not confirmed their address yet. guest: they are one for a while.
 */
const OUT = ['slack', 'service', 'group', 'twin'] as const;
type Out = (typeof OUT)[number] | 'unlisted' | 'new' | 'guest';
/** States in which somebody's account in the service is not found. */
const UNFOUND: ReadonlySet<Out | undefined> = new Set(['unlisted', 'new']);

const BUTTONS = { approve: 'Approve', reject: 'Reject', check: 'Check now' } as const;
const BALLOTS = { approve: 'approvals.ballot.approve', reject: 'approvals.ballot.reject' } as const;
/** The input of a reason. */
const WHY = 'approvals.reason.text';
/** The input of a reason for the requester. */
const LOUDLY = 'approvals.ballot.approve-loudly';
type Action = keyof typeof BUTTONS;
type Decision = Exclude<Action, 'check'>;

/** Everybody in the channels of the world. */
export const EVERYBODY = [
  'U0ANA',
  'U0BEN',
  'U0CLEO',
  SECOND,
  'U0DANA',
  UNKNOWN,
  'U0IVO',
  'U0GUS',
] as const;
/** People who come and go; Ana stays, so that there is always somebody. */
const RESTLESS: readonly [string, ...string[]] = ['U0BEN', 'U0CLEO', 'U0DANA'];
/** A list this old may be used if Slack does not return one. */
const REMEMBERED_MS = 60_000;
/** The longest delay of an answer that is not late. */
const ON_ITS_WAY_MS = 400;
const GUEST = 'U0GUS';
const MEANT_TRIES = 6;
const ABLE = ['U0ANA', ...RESTLESS, SECOND] as const;

/** People who look at messages and press buttons, with the right to or without, once or more often. */
export class People {
  readonly #needs: PeopleNeeds;
  /** Presses whose result Slack has not shown yet. */
  underWay = 0;
  /** Who is out, and how. */
  readonly #out = new Map<string, Out>();
  /** People with an open form. */
  readonly #atForms = new Set<string>();
  /** Until when a replica may not ask Slack for the group. */
  #limitedUntil = 0;
  /** When somebody left the group last. */
  readonly #leftAt = new Map<string, number>();
  /** Until when somebody does not leave. */
  readonly #stayUntil = new Map<string, number>();
  /** For what happens to somebody because they pressed, and for what they see. */
  readonly #fates: Chance;
  readonly #homes: Chance;
  readonly #crowds: Chance;
  readonly #absences: Chance;
  readonly #loud: Chance;
  /** Called for each press on a button of a message, and each reason that is sent. */
  onPress: () => void = () => {};
  /** Called when Cleo, still unconfirmed, is about to press there. */
  onNewcomer: (gate: Gate) => void = () => {};
  #isGroupOff = false;
  /** Somebody does not review some routes: see `CHANGING`. */
  #isChanged = false;
  /** Some people decide it in a scene, and nobody else by chance. */
  isOfScene: (gate: Gate) => boolean = () => false;
  /** Whether the message of a gate has its description. */
  isDescribed: (gate: Gate) => boolean = () => true;
  /** When it was last switched on again. */
  #groupOnAt = Number.NEGATIVE_INFINITY;

  constructor(needs: PeopleNeeds) {
    this.#needs = needs;
    this.#fates = needs.chance.branch('fates');
    this.#homes = needs.chance.branch('homes');
    this.#crowds = needs.chance.branch('crowds');
    this.#absences = needs.chance.branch('absences');
    this.#loud = needs.chance.branch('loud');
    const { sandbox } = needs;
    sandbox.workspace.setUserGroup(GROUP, { users: ABLE });
    const profile = { email: SECOND_EMAIL };
    const isElsewhere = this.#fates.often(0.5);
    const team_id = isElsewhere ? otherTeamId : team.id;
    const member = { team_id, is_stranger: false, is_email_confirmed: false };
    sandbox.workspace.setUser(SECOND, { ...member, profile });
    if (needs.byExternalId) this.#nameByExternalId();
    if (needs.isCleoNew) {
      sandbox.workspace.setUser('U0CLEO', { is_email_confirmed: false });
      this.#out.set('U0CLEO', 'new');
    }
    for (const person of EVERYBODY) this.#noteRights(person);
  }

  get #mayBeUnfound(): boolean {
    return this.#needs.byExternalId || this.#out.get('U0CLEO') === 'new';
  }

  #nameByExternalId(): void {
    const { service } = this.#needs.sandbox;
    service.setVariant({ scimLists: 'synchronized' });
    for (const { id, userName } of service.users()) {
      const externalId = id === CLEO_ACCOUNT ? CLEO_EXTERNAL : `ext-${userName}`;
      service.setUser(id, { externalId, origin: 'scim' });
    }
  }

  /** They see a new message. */
  see(gate: Gate): void {
    const { chance, scheduler } = this.#needs;
    if (this.#meetsNewcomer(gate) || this.#fillsPlaces(gate) || this.#isUrgent(gate)) return;
    if (chance.often(0.1)) return;
    // If others can decide after a while, people sometimes wait for them.
    const isLeft = (gate.escalates ?? []).length > 0 && this.#absences.often(0.5);
    const presses = neededOf(gate) + (chance.often(0.4) ? chance.whole(1, 2) : 0);
    const action: Action = chance.often(0.7) ? 'approve' : 'reject';
    const firstMs =
      chance.wait(400, 6_000, 90_000) + (isLeft ? this.#absences.whole(30_000, 90_000) : 0);
    for (let count = 0; count < presses; count += 1) {
      const person = chance.often(0.93) ? chance.pick(gate.pressers) : chance.pick(EVERYBODY);
      if (person === undefined) return;
      const opposite: Action = action === 'approve' ? 'reject' : 'approve';
      const theirs = chance.often(0.8) ? action : opposite;
      // Some at the very moment at which somebody else presses.
      const isTogether = chance.often(0.4);
      const ms = isTogether
        ? firstMs + chance.whole(0, 40)
        : chance.wait(400, 9_000, 90_000) + (isLeft ? 60_000 : 0);
      scheduler.after(ms, () => this.#press(gate, person, theirs));
    }
  }

  /**
   * Cleo approves with both of her accounts while nobody can know that they are hers, and Slack confirms her address
   * before that is enough, or before it is sent.
   */
  #meetsNewcomer(gate: Gate): boolean {
    const { scheduler } = this.#needs;
    if (this.#out.get('U0CLEO') !== 'new' || !isLenient(gate) || gate.quorum < 2) return false;
    const chance = this.#fates;
    const presses = ['U0CLEO', SECOND, 'U0ANA', 'U0DANA'].filter((each) =>
      gate.pressers.includes(each),
    );
    for (const [place, person] of presses.entries()) {
      const ms = 1_000 + place * 1_500 + chance.whole(0, 800);
      scheduler.after(ms, () => this.#press(gate, person, 'approve'));
    }
    this.onNewcomer(gate);
    scheduler.after(chance.whole(2_600, 5_500), () => this.confirmAddress());
    return true;
  }

  /** If different people have to fill places, most of them press, in any order, and some at the same moment. */
  #fillsPlaces(gate: Gate): boolean {
    const chance = this.#crowds;
    if (gate.needs === undefined || gate.needs.length === 0 || chance.often(0.15)) return false;
    const { scheduler } = this.#needs;
    const isTogether = chance.often(0.3);
    const firstMs = chance.wait(400, 3_000, 20_000);
    for (const person of gate.pressers) {
      if (chance.often(0.05)) continue;
      const action = chance.often(0.97) ? 'approve' : 'reject';
      const ms = firstMs + (isTogether ? chance.whole(0, 300) : chance.wait(0, 4_000, 20_000));
      scheduler.after(ms, () => this.#press(gate, person, action));
    }
    return true;
  }

  /** The requester approves it themselves, with others if it needs more. */
  #isUrgent(gate: Gate): boolean {
    const chance = this.#loud;
    const asker = chance.pick(gate.askers ?? []);
    if (gate.isLoud !== true || asker === undefined || chance.often(0.2)) return false;
    const others = Array.from({ length: gate.quorum }, () => chance.pick(gate.pressers));
    // A press is the only way to find out that another account is theirs.
    const again = chance.often(0.5) ? [asker] : [];
    for (const person of [asker, ...others.slice(1), ...again]) {
      if (person === undefined) continue;
      const action = chance.often(0.95) ? 'approve' : 'reject';
      this.#needs.scheduler.after(chance.wait(400, 6_000, 60_000), () =>
        this.#press(gate, person, action),
      );
    }
    return true;
  }

  /** Somebody objects, usually other than those who approved. */
  objects(gate: Gate, approvers: readonly string[]): void {
    const others = gate.pressers.filter((each) => !approvers.includes(each));
    const person = this.#loud.pick(this.#loud.often(0.8) ? others : gate.pressers);
    if (person !== undefined) this.#press(gate, person, 'reject');
  }

  /** They mean it: they press on the message, and again until Slack shows no failure. */
  presses(gate: Gate, person: string, action: Decision): void {
    this.#press(gate, person, action, MEANT_TRIES);
  }

  #pressAgain(gate: Gate, person: string, action: Action, tries: number): void {
    const { scheduler, chance } = this.#needs;
    const left = Math.max(0, tries);
    scheduler.after(chance.whole(500, 4_000), () => this.#press(gate, person, action, left));
  }

  /** They are back, and stay for that long. */
  stay(people: readonly string[], ms: number): void {
    for (const person of people) {
      this.#stayUntil.set(person, this.#needs.now() + ms);
      const out = this.#out.get(person);
      if (out === undefined || out === 'new') continue;
      this.#out.delete(person);
      this.#change(person, out, true);
    }
  }

  /** Somebody changes their mind, and approves after all. */
  approveAgain(gate: Gate, person: string): void {
    this.#press(gate, person, 'approve');
  }

  /** Slack confirms the address of whoever is new. */
  confirmAddress(): void {
    if (this.#out.get('U0CLEO') !== 'new') return;
    this.#out.delete('U0CLEO');
    this.#change('U0CLEO', 'new', true);
  }

  /** Somebody leaves the company, the service or the group, and comes back later. */
  leave(): void {
    const { chance } = this.#needs;
    this.#leave(chance.pick(RESTLESS), chance, 3_000);
  }

  /** This person does. */
  loses(person: string): void {
    if (RESTLESS.includes(person)) this.#leave(person, this.#fates, 10_000, true);
  }

  /** This person becomes a guest for a while. */
  becomesGuest(person: string): void {
    if (RESTLESS.includes(person)) this.#leave(person, this.#fates, 15_000, true, 'guest');
  }

  /** Their account is deactivated for a while. */
  leavesService(person: string): void {
    if (RESTLESS.includes(person)) this.#leave(person, this.#fates, 15_000, true, 'service');
  }

  /** From now on somebody does not review some routes any more, or does again. */
  rulesChanged(isChanged: boolean): void {
    this.#isChanged = isChanged;
    for (const gate of this.#needs.observer.gates) this.#noteChanging(gate);
  }

  #noteChanging(gate: Gate): void {
    const { person, routes } = CHANGING;
    if (!routes.some((each) => each === gate.route)) return;
    const inSlack = !this.#isChanged && this.#isMember(person);
    this.#noteAt(gate, person, !this.#isChanged && this.#isActive(person), inSlack);
  }

  /** For everybody but guests. */
  #isMember(person: string): boolean {
    const out = this.#out.get(person);
    return out !== 'slack' && out !== 'guest' && person !== GUEST;
  }

  /** The person decides one of the newest requests that substitutes can decide. */
  standsIn(person: string): void {
    const { observer, now } = this.#needs;
    const open = observer.gates.filter(
      ({ substitutes, place, effects, deadlineAt }) =>
        substitutes === true && place !== null && effects.length === 0 && (deadlineAt ?? 0) > now(),
    );
    const ofOthers = open.filter(
      (gate) => gate.asked?.includes(person) === false && !this.isOfScene(gate),
    );
    const isGuest = this.#out.get(person) === 'guest';
    const there = ofOthers.filter(({ route }) => !isGuest || routeNamed(route)?.guests === true);
    const gate = this.#absences.pick(there.slice(-12));
    if (gate === undefined) return;
    this.#press(gate, person, this.#absences.often(0.8) ? 'approve' : 'reject');
  }

  /** Somebody leaves who has approved it. */
  loseVoter(gate: Gate, decider: string | null): void {
    const isVote = ({ approval, action }: Press) => approval === gate.name && action === 'approve';
    const voters = this.#needs.observer.presses.filter(isVote).map(({ person }) => person);
    // The others are authorized again together with the one who decides.
    const others = voters.filter((each) => this.#serviceUser(each) !== decider);
    const person = this.#fates.pick(RESTLESS.filter((each) => others.includes(each)));
    if (person !== undefined) this.#leave(person, this.#fates, 30_000);
  }

  /** Two of them at the same moment. */
  pressTogether(gate: Gate): readonly string[] {
    const chance = this.#fates;
    const [one, other] = [chance.pick(gate.pressers), chance.pick(gate.pressers)];
    const all = [one, other].flatMap((each) => each ?? []);
    for (const person of all) this.#press(gate, person, 'approve');
    return all;
  }

  /** A person who only wanted to check the status leaves the channel, and comes back. */
  #mayLeaveChannel(gate: Gate, person: string): void {
    const chance = this.#fates;
    const isOpen = routeNamed(gate.route)?.isOpen === true;
    if (isOpen || this.#out.has(person) || !RESTLESS.includes(person) || !chance.often(0.5)) return;
    const { sandbox, scheduler, chronicle } = this.#needs;
    scheduler.after(chance.whole(0, 100), () => {
      sandbox.workspace.remove(gate.channel, person);
      chronicle.noteForAll(person, `leaves ${gate.channel}`);
    });
    scheduler.after(chance.whole(500, 7_000), () => this.#press(gate, ABLE[0], 'check'));
    scheduler.after(chance.whole(5_000, 30_000), () => {
      if (!this.#out.has(person)) sandbox.workspace.invite(gate.channel, person);
    });
  }

  #pressed(person: string): void {
    this.onPress();
    this.#mayLeave(person);
  }

  /** Some leave between their press and its result, for long enough to be authorized again. */
  #mayLeave(person: string): void {
    const chance = this.#fates;
    if (!RESTLESS.includes(person) || !chance.often(0.12)) return;
    const afterMs = chance.wait(0, 800, 5_000);
    this.#needs.scheduler.after(afterMs, () => this.#leave(person, chance, 30_000));
  }

  #leave(person: string, chance: Chance, leastMs: number, isMeant = false, wanted?: Out): void {
    const { scheduler } = this.#needs;
    if (this.#out.has(person)) return;
    if (!isMeant && this.#needs.now() < (this.#stayUntil.get(person) ?? 0)) return;
    if (!isMeant && this.#needs.leavesSeldom && this.#absences.often(0.7)) return;
    const drawn = wanted ?? chance.pick(OUT);
    const isOfAccount = drawn !== 'group' && drawn !== 'guest';
    const mayBeUnlisted = this.#needs.byExternalId && person === 'U0CLEO' && isOfAccount;
    const what = mayBeUnlisted ? 'unlisted' : drawn;
    this.#out.set(person, what);
    this.#change(person, what, false);
    scheduler.after(chance.whole(leastMs, 60_000), () => {
      if (this.#out.get(person) !== what) return;
      this.#out.delete(person);
      this.#change(person, what, true);
    });
  }

  /** The group is disabled for a while: nobody can decide through it. */
  closeGroup(): void {
    const { scheduler, chronicle } = this.#needs;
    if (this.#isGroupOff) return;
    chronicle.noteForAll('administrator', 'switches the group off');
    for (const person of ABLE)
      if (this.#isInGroup(person)) this.#leftAt.set(person, this.#needs.now());
    this.#switchGroup(false);
    scheduler.after(this.#fates.whole(3_000, 20_000), () => this.#switchGroup(true));
  }

  #switchGroup(enabled: boolean): void {
    this.#isGroupOff = !enabled;
    if (enabled) this.#groupOnAt = this.#needs.now();
    this.#needs.sandbox.workspace.setUserGroup(GROUP, { enabled });
    for (const person of ABLE) this.#noteRights(person);
  }

  /** Somebody presses Check now on a message whose state is unknown. */
  look(gate: Gate): void {
    const chance = this.#fates;
    const { scheduler } = this.#needs;
    if (!chance.often(0.4)) return;
    for (const person of [chance.pick(EVERYBODY), ...(chance.often(0.5) ? [ABLE[0]] : [])]) {
      scheduler.after(chance.wait(300, 2_500, 30_000), () => this.#press(gate, person, 'check'));
    }
  }

  /**
   * They can decide again: some do so soon, and not all as before. Returns the press of a person who changes their mind
   * alone.
   */
  seeAgain(gate: Gate): Press | undefined {
    const chance = this.#fates;
    const { scheduler } = this.#needs;
    if (!chance.often(0.8)) return undefined;
    const last = this.#needs.observer.lastPressOn(gate);
    const isOpposite = chance.often(0.5);
    const action = (last?.action === 'approve') === isOpposite ? 'reject' : 'approve';
    const isSame = chance.often(0.6);
    // A person who changes their mind does so alone.
    const isAlone = isSame && isOpposite;
    const count = isAlone ? 1 : neededOf(gate);
    for (let place = 0; place < count; place += 1) {
      const person = isSame && place === 0 ? last?.person : chance.pick(gate.pressers);
      if (person === undefined) return undefined;
      scheduler.after(chance.wait(300, 1_500, 15_000), () => this.#press(gate, person, action));
    }
    return isAlone ? last : undefined;
  }

  /** Until then a list less than a minute old counts: see `src/core/slack/lookup.ts`. */
  groupLimited(restMs: number): void {
    this.#limitedUntil = Math.max(this.#limitedUntil, this.#needs.now() + ON_ITS_WAY_MS + restMs);
    for (const person of ABLE) this.#mayCount(person);
  }

  /** Records a moment with the right, for people who may still be on that list; a refusal is right as well. */
  #mayCount(person: string): void {
    const leftAt = this.#leftAt.get(person) ?? Number.NEGATIVE_INFINITY;
    const isRemembered = this.#needs.now() - leftAt <= REMEMBERED_MS;
    if (this.#isInGroup(person) || !isRemembered || !this.#isActive(person)) return;
    this.#noteInGroup(person, true);
    this.#noteInGroup(person, false);
  }

  #isInGroup(person: string): boolean {
    return !this.#isGroupOff && this.#out.get(person) !== 'group';
  }

  /** In Slack and in the service. */
  #isActive(person: string): boolean {
    const accounts = person === SECOND ? ['U0CLEO', SECOND] : [person];
    const out = this.#out.get(person);
    return (
      out !== 'slack' &&
      out !== 'twin' &&
      out !== 'guest' &&
      !UNFOUND.has(out) &&
      !accounts.some((each) => this.#out.get(each) === 'service')
    );
  }

  /** Whether they can decide now: anything at all, and what the group decides. */
  #noteRights(person: string): void {
    const { observer, now } = this.#needs;
    const can = ABLE.some((each) => each === person) && this.#isActive(person);
    const gone = this.#out.get(person) === 'slack';
    const inSlack = this.#isMember(person);
    const serviceUser = this.#serviceUser(person);
    observer.rights.push({ at: now(), person, can, gone, inSlack, serviceUser });
    const isInGroup = this.#isInGroup(person);
    this.#noteInGroup(person, can && isInGroup, inSlack && isInGroup);
    for (const gate of observer.gates) {
      if (this.#isChanged && person === CHANGING.person) this.#noteChanging(gate);
      if (this.#out.get(person) === 'guest' && takesGuests(gate)) this.#noteAt(gate, person, true);
    }
    if (person !== 'U0CLEO') return;
    for (const gate of observer.gates) if (isLenient(gate)) this.#noteUnfound(gate);
  }

  #noteInGroup(person: string, can: boolean, inSlack = can): void {
    const { gates } = this.#needs.observer;
    for (const gate of gates) if (isOfGroup(gate)) this.#noteAt(gate, person, can, inSlack);
  }

  #noteAt({ name: approval }: Gate, person: string, can: boolean, inSlack = can): void {
    const { observer, now } = this.#needs;
    const serviceUser = this.#serviceUser(person);
    observer.rights.push({ at: now(), person, can, inSlack, approval, serviceUser });
  }

  #change(person: string, what: Out, isIn: boolean): void {
    const { sandbox, chronicle, now } = this.#needs;
    const { workspace, service } = sandbox;
    chronicle.noteForAll(
      person,
      what === 'twin'
        ? `${isIn ? 'loses' : 'gets'} a twin`
        : `${isIn ? 'is back in' : 'leaves'} ${what}`,
    );
    if (what === 'group') {
      const inside = ABLE.filter((each) => this.#out.get(each) !== 'group');
      workspace.setUserGroup(GROUP, { users: inside });
      if (!isIn) this.#leftAt.set(person, now());
    } else if (what === 'service') {
      service.setUser(`${emailOf(sandbox, person)}`, { active: isIn });
    } else if (what === 'twin') {
      const userName = isIn ? `${person}@old.example` : emailOf(sandbox, person);
      service.setUser(`twin-of-${person}`, { id: `twin-of-${person}`, userName, origin: 'scim' });
    } else if (what === 'unlisted') {
      service.setUser(emailOf(sandbox, person), { origin: isIn ? 'scim' : 'local' });
    } else if (what === 'guest') {
      workspace.setUser(person, { is_restricted: !isIn });
    } else if (what === 'new') {
      workspace.setUser(person, { is_email_confirmed: isIn });
    } else if (!isIn) workspace.deactivate(person);
    else {
      workspace.setUser(person, { deleted: false });
      for (const channel of REQUEST_CHANNELS) workspace.invite(channel, person);
    }
    this.#noteRights(person);
    if (person === 'U0CLEO') this.#noteRights(SECOND);
  }

  /** People whom the service does not show can decide here nevertheless, unless Gatepost knew their account before. */
  #noteUnfound(gate: Gate): void {
    if (!UNFOUND.has(this.#out.get('U0CLEO'))) return;
    this.#noteAt(gate, 'U0CLEO', true);
  }

  /** What is different for this gate than for the people in general; a new approval has to know it. */
  opened(gate: Gate): void {
    // If their account is not listed, it depends on whether it was known before.
    if (isLenient(gate) && this.#mayBeUnfound) gate.mayBeRefused.push('U0CLEO');
    const route = routeNamed(gate.route);
    if (route?.isLenient) this.#noteAt(gate, UNKNOWN, true);
    if (route?.isLenient) this.#noteUnfound(gate);
    if (this.#isChanged) this.#noteChanging(gate);
    for (const [person, out] of this.#out)
      if (out === 'guest' && takesGuests(gate)) this.#noteAt(gate, person, true);
    if (!isOfGroup(gate)) return;
    // A list that is a minute old still has it as disabled.
    const wasOff = this.#needs.now() - this.#groupOnAt <= REMEMBERED_MS;
    for (const person of ABLE) {
      if (wasOff || !this.#isInGroup(person)) this.#noteAt(gate, person, false);
      if (wasOff && this.#isInGroup(person))
        this.#noteAt(gate, person, this.#isActive(person), this.#out.get(person) !== 'slack');
    }
  }

  /** @param tries How many more times it is tried; 0: as people usually do. */
  #press(gate: Gate, person: string, action: Action, tries = 0): void {
    const { sandbox, chance, now } = this.#needs;
    const { place } = gate;
    if (place === null) return;
    if (now() <= this.#limitedUntil) this.#mayCount(person);
    const rule = action === 'check' ? 'none' : routeNamed(gate.route)?.reason[action];
    const isLoud = gate.isLoud === true && action === 'approve';
    const mayAskWhy = isLoud && gate.askers?.includes(person) === true;
    if (action !== 'check' && (rule !== 'none' || mayAskWhy)) {
      this.#pressWithReason(gate, person, action, mayAskWhy || rule === 'required', tries);
      return;
    }
    if (action !== 'check' && tries === 0 && this.#homes.often(0.15)) {
      this.#pressAtHome(gate, person, action);
      return;
    }
    const isTwice = chance.often(0.1);
    const press = () =>
      sandbox.workspace.click({
        ...{ user: person, ...place, label: BUTTONS[action] },
        ...(isTwice && { twice: 'pressed' }),
        ...(this.#fates.often(0.02) && { hasResponseUrl: false }),
      });
    this.#carryOut(gate, person, action, press, { tries });
  }

  /** Nothing happens if they have left Slack. */
  opensHome(person: string): void {
    if (this.#out.get(person) !== 'slack') this.#needs.sandbox.workspace.openHome(person);
  }

  /** On their Home tab as they have it, which may be out of date; if it is not there, they press nothing. */
  pressAsRead(gate: Gate, person: string, action: Decision): void {
    const { workspace } = this.#needs.sandbox;
    const blocks = workspace.home(person)?.blocks ?? [];
    const key = buttonIn(blocks, gate, BALLOTS[action]);
    if (key === undefined) return;
    const press = () => workspace.click({ user: person, surface: 'home', actionId: key });
    this.#carryOut(gate, person, action, press, { read: JSON.stringify(blocks) });
  }

  /**
   * Together with others of its route, unless it is chosen alone; some of the texts that they read there may be out of
   * date.
   */
  decideSeveralOf(gate: Gate, person: string, isAlone = false): void {
    const { sandbox, scheduler, chronicle } = this.#needs;
    const { workspace } = sandbox;
    const carryOut = async () => {
      workspace.openHome(person);
      const key = () => selectIn(workspace.home(person)?.blocks ?? [], gate.route);
      for (let look = 0; look < 10 && key() === undefined; look += 1) await scheduler.sleep(300);
      const actionId = key();
      if (actionId === undefined || this.#atForms.has(person)) return;
      this.#atForms.add(person);
      await workspace.click({ user: person, surface: 'home', actionId });
      await this.#decideSeveral(person, 'approve', isAlone ? gate : undefined);
    };
    this.underWay += 1;
    carryOut()
      .catch((error: unknown) => {
        this.#atForms.delete(person);
        chronicle.note(person, `finds no form with ${gate.name}: ${String(error)}`, gate.name);
      })
      .finally(() => {
        this.underWay -= 1;
      });
  }

  /** On their Home tab, in the row of the gate or in its full view; if it is not there, they press nothing. */
  #pressAtHome(gate: Gate, person: string, action: Decision): void {
    const { sandbox, scheduler, chronicle } = this.#needs;
    const { workspace } = sandbox;
    const find = async (surface: 'home' | 'modal', wanted: string) => {
      const view = () => (surface === 'home' ? workspace.home(person) : workspace.modal(person));
      for (let look = 0; look < 10; look += 1) {
        await scheduler.sleep(300);
        const key = buttonIn(view()?.blocks ?? [], gate, wanted);
        if (key !== undefined) return key;
      }
      return undefined;
    };
    const press = (surface: 'home' | 'modal', actionId: string) =>
      workspace.click({ user: person, surface, actionId });
    const isLoud = gate.isLoud === true && (gate.askers ?? []).length > 0;
    const button = isLoud && action === 'approve' ? LOUDLY : BALLOTS[action];
    const carryOut = async () => {
      workspace.openHome(person);
      const inRow = await find('home', button);
      const select = selectIn(workspace.home(person)?.blocks ?? [], gate.route);
      if (select !== undefined && this.#homes.often(0.6) && !this.#atForms.has(person)) {
        // A person has one form open at a time.
        this.#atForms.add(person);
        await press('home', select);
        await this.#decideSeveral(person, action);
        return;
      }
      const review = inRow === undefined ? await find('home', 'approvals.review') : undefined;
      if (inRow !== undefined) {
        const read = JSON.stringify(workspace.home(person)?.blocks ?? []);
        this.#carryOut(gate, person, action, () => press('home', inRow), { read });
      } else if (review !== undefined && !this.#atForms.has(person)) {
        this.#atForms.add(person);
        await press('home', review);
        const inModal = await find('modal', button);
        if (inModal !== undefined) {
          const read = JSON.stringify(workspace.modal(person)?.blocks ?? []);
          this.#carryOut(gate, person, action, () => press('modal', inModal), { read });
          await scheduler.sleep(3_000);
        }
        if (workspace.modal(person)) await workspace.closeModal({ user: person, all: true });
        this.#atForms.delete(person);
      }
    };
    this.underWay += 1;
    carryOut()
      .catch((error: unknown) => {
        this.#atForms.delete(person);
        chronicle.note(
          person,
          `finds nothing at Home of ${gate.name}: ${String(error)}`,
          gate.name,
        );
      })
      .finally(() => {
        this.underWay -= 1;
      });
  }

  /** Most of the rows in the form, or only this one; each counts as a press. */
  async #decideSeveral(person: string, action: Decision, only?: Gate): Promise<void> {
    const { sandbox, scheduler, observer, chronicle, now } = this.#needs;
    const { workspace } = sandbox;
    const offered = () => titlesOffered(workspace.modal(person)?.blocks ?? []);
    for (let look = 0; look < 10 && offered().length === 0; look += 1) await scheduler.sleep(300);
    const titles = offered();
    const gateOf = (title: string) => observer.gates.find((each) => each.title === title);
    const isOfScene = (gate: Gate | undefined) => gate !== undefined && this.isOfScene(gate);
    const isChosen = (title: string) => this.#homes.often(0.7) && !isOfScene(gateOf(title));
    const chosen = titles.filter((title) => (only ? title === only.title : isChosen(title)));
    const unread = chosen.flatMap((title) => {
      const gate = gateOf(title);
      return gate === undefined || this.isDescribed(gate) ? [] : [gate];
    });
    const read = JSON.stringify(workspace.modal(person)?.blocks ?? []);
    for (let look = 0; look < 60 && unread.some((each) => !this.isDescribed(each)); look += 1)
      await scheduler.sleep(300);
    if (chosen.length > 0) {
      const isAll = chosen.length === titles.length;
      if (isAll) await this.#selectAll(person);
      const rows = isAll ? [] : chosen.map((title) => [pickOf(titles.indexOf(title)), ['yes']]);
      const values = { ...Object.fromEntries(rows), [`${SEVERAL}decision`]: action };
      const at = now();
      const end = await workspace.submit({ user: person, values });
      chronicle.note(person, `decides ${chosen.join(', ')} at once: ${end.body || end.shown}`);
      for (const title of chosen) {
        const of = gateOf(title);
        if (of === undefined) continue;
        this.#pressed(person);
        const acknowledgedAt = end.acknowledged ? at + end.ackMs : null;
        const { shown } = end;
        observer.presses.push({
          ...{ person, approval: of.name, action, at, acknowledgedAt, shown, read },
          ...{ isElsewhere: true, isOfSeveral: true },
        });
        // That they were not recorded, shown in the form.
        if (end.body.includes('"errors"') && of.place !== null) {
          observer.showed(person, of.place.channel, end.body);
        }
      }
      await scheduler.sleep(this.#homes.whole(500, 5_000));
    }
    if (workspace.modal(person)) await workspace.closeModal({ user: person, all: true });
    this.#atForms.delete(person);
  }

  /** With the button, whose update may be lost; then nothing is selected. */
  async #selectAll(person: string): Promise<void> {
    const { sandbox, scheduler } = this.#needs;
    const { workspace } = sandbox;
    await workspace.click({ user: person, surface: 'modal', actionId: `${SEVERAL}all` });
    const isShown = () => JSON.stringify(workspace.modal(person)).includes('Clear selection');
    for (let look = 0; look < 10 && !isShown(); look += 1) await scheduler.sleep(300);
  }

  #carryOut(
    gate: Gate,
    person: string,
    action: Action,
    press: () => Promise<Delivery>,
    { read, tries = 0 }: { readonly read?: string; readonly tries?: number },
  ): void {
    const { chance, observer, chronicle, now } = this.#needs;
    const at = now();
    const carried = press();
    if (action === 'check') this.#mayLeaveChannel(gate, person);
    this.#pressed(person);
    this.underWay += 1;
    carried
      .then((delivery) => {
        chronicle.note(person, `presses ${action} at ${gate.name}`, gate.name);
        for (const each of [delivery, ...(delivery.second ? [delivery.second] : [])]) {
          const acknowledgedAt = each.acknowledged ? at + each.ackMs : null;
          observer.presses.push({
            person,
            approval: gate.name,
            action,
            at,
            acknowledgedAt,
            shown: each.shown,
            isElsewhere: read !== undefined,
            ...(read !== undefined && { read }),
          });
          chronicle.note(
            person,
            `sees ${each.shown ?? 'the press taken'} (${gate.name})`,
            gate.name,
          );
        }
        // A person who is shown a failure usually presses again.
        const isAgain = tries > 1 || chance.often(0.7);
        if (!delivery.acknowledged && isAgain) this.#pressAgain(gate, person, action, tries - 1);
      })
      .catch((error: unknown) => {
        // The button or the person is gone.
        chronicle.note(person, `finds no ${action} at ${gate.name}: ${String(error)}`, gate.name);
      })
      .finally(() => {
        this.underWay -= 1;
      });
  }

  /** The press opens a modal that asks for a reason; its submission is the press that counts. */
  #pressWithReason(
    gate: Gate,
    person: string,
    action: Decision,
    isRequired: boolean,
    tries: number,
  ): void {
    const { sandbox, chance, observer, chronicle, scheduler, now } = this.#needs;
    const { workspace } = sandbox;
    const { place } = gate;
    // A person has one form open at a time.
    if (place === null || this.#atForms.has(person)) {
      if (tries > 1) this.#pressAgain(gate, person, action, tries - 1);
      return;
    }
    this.#atForms.add(person);
    const typed = {
      person,
      text: `${BUTTONS[action]} at ${gate.name}`,
      at: now(),
      acknowledged: false,
    };
    const carryOut = async () => {
      const opening = workspace.click({ user: person, ...place, label: BUTTONS[action] });
      const command = { ...typed, answer: null as string | null };
      observer.typed(command);
      const delivery = await opening.catch((error: unknown) => {
        command.answer = 'The button is not there any more';
        throw error;
      });
      command.acknowledged = delivery.acknowledged;
      command.answer ??= delivery.shown;
      chronicle.note(person, `presses ${action} at ${gate.name}, to say why`, gate.name);
      // Not another one that they have open, or that opened when they no longer waited for it.
      const isThere = () => {
        const shown = JSON.stringify(workspace.modal(person)?.blocks ?? []);
        return shown.includes(WHY) && shown.includes(`*${gate.title}*`);
      };
      for (let look = 0; look < 10 && !isThere(); look += 1) await scheduler.sleep(300);
      if (!isThere()) {
        // A person who is not known as the requester is not asked for a reason: that was the press.
        if (gate.isLoud && !observer.wasAskedWhy(person, typed.at)) {
          command.answer ??= 'It is a press';
          this.#pressed(person);
          const acknowledgedAt = delivery.acknowledged ? typed.at + delivery.ackMs : null;
          const { shown } = delivery;
          const pressed = { person, approval: gate.name, action, at: typed.at };
          observer.presses.push({ ...pressed, acknowledgedAt, shown });
        } else if (tries > 1) this.#pressAgain(gate, person, action, tries - 1);
        return;
      }
      await scheduler.sleep(chance.whole(500, tries > 0 ? 2_000 : 8_000));
      if ((tries === 0 && chance.often(0.1)) || !isThere()) {
        await workspace.closeModal({ user: person, all: true });
        return;
      }
      const text = isRequired || this.#fates.often(0.7) ? reasonOf(gate, person, action) : '';
      const at = now();
      const submitting = workspace.submit({
        user: person,
        values: { [WHY]: text },
      });
      if (text !== '' && !gate.reasons.some((each) => each.text === text)) {
        gate.reasons.push({ person, action, text });
      }
      this.#pressed(person);
      const end = await submitting;
      if (!end.acknowledged && tries > 1) this.#pressAgain(gate, person, action, tries - 1);
      const acknowledgedAt = end.acknowledged ? at + end.ackMs : null;
      const { shown } = end;
      const press = {
        person,
        approval: gate.name,
        action,
        at,
        acknowledgedAt,
        shown,
        isWithReason: true,
      } as const;
      observer.presses.push(press);
      // That it was not recorded, shown in the form.
      if (end.acknowledged && end.body !== '') observer.showed(person, place.channel, end.body);
      chronicle.note(person, `sees ${shown ?? 'the reason taken'} (${gate.name})`, gate.name);
      if (workspace.modal(person)) await workspace.closeModal({ user: person, all: true });
    };
    this.underWay += 1;
    carryOut()
      .catch((error: unknown) => {
        chronicle.note(person, `finds no ${action} at ${gate.name}: ${String(error)}`, gate.name);
      })
      .finally(() => {
        this.#atForms.delete(person);
        this.underWay -= 1;
      });
  }

  #serviceUser(person: string): string | null {
    const { sandbox, byExternalId } = this.#needs;
    if (UNFOUND.has(this.#out.get(person))) return null;
    if (person === SECOND) return byExternalId ? CLEO_EXTERNAL : CLEO_ACCOUNT;
    const email = emailOf(sandbox, person);
    const account = sandbox.service.users().find(({ userName }) => userName === email);
    return (byExternalId ? account?.externalId : account?.id) ?? null;
  }
}

function isLenient({ route }: Gate): boolean {
  return routeNamed(route)?.isLenient === true;
}

function takesGuests({ route }: Gate): boolean {
  return routeNamed(route)?.guests === true;
}

function isOfGroup({ route }: Gate): boolean {
  return routeNamed(route)?.group !== undefined;
}

/** Unique text. */
function reasonOf({ name }: Gate, person: string, action: Decision): string {
  return `${action} ${name}, says ${person}`;
}

function emailOf(sandbox: Sandbox, person: string): string {
  return sandbox.workspace.user(person)?.profile.email ?? '';
}

const SEVERAL = 'approvals.several.';

/** The id of the button that opens several requests of the route; undefined: there is none. */
function selectIn(blocks: readonly Block[], route: string): string | undefined {
  for (const { block_id, elements } of blocks as readonly Row[]) {
    const found = elements?.find(
      ({ action_id, value }) =>
        String(action_id).startsWith('approvals.home.select') && value === route,
    );
    if (found !== undefined) return `${block_id} ${found.action_id}`;
  }
  return undefined;
}

/** The checkbox of a row of a form in which nothing was selected yet. */
function pickOf(row: number): string {
  return `${SEVERAL}row.${row} ${SEVERAL}pick`;
}

function titlesOffered(blocks: readonly Block[]): string[] {
  return (blocks as readonly Row[]).flatMap(({ block_id, elements }) =>
    String(block_id).startsWith(`${SEVERAL}row.`)
      ? (elements?.[0]?.options ?? []).map(({ text }) => text.text)
      : [],
  );
}

/** The id of the gate's button for this action; undefined: there is none. */
function buttonIn(blocks: readonly Block[], gate: Gate, action: string): string | undefined {
  for (const { block_id, elements, accessory } of blocks as readonly Row[]) {
    const buttons = [...(elements ?? []), ...(accessory === undefined ? [] : [accessory])];
    const found = buttons.find(
      ({ action_id, value }) => action_id === action && String(value).endsWith(` ${gate.title}`),
    );
    if (found !== undefined) return `${block_id} ${action}`;
  }
  return undefined;
}

interface Row {
  readonly block_id: string;
  readonly elements?: readonly {
    readonly action_id?: string;
    readonly value?: string;
    readonly options?: readonly { readonly text: { readonly text: string } }[];
  }[];
  readonly accessory?: { readonly action_id?: string; readonly value?: string };
}
