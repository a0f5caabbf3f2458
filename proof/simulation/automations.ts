import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Door } from './door.ts';
import type { HomeOf, NeedSeen } from './evidence.ts';
import type { JobIdentity } from './job-identity.ts';
import type { Gate, Observer } from './observer.ts';
import { EVERYBODY } from './people.ts';
import { canFillAll } from './places.ts';
import type { Scheduler } from './scheduler.ts';
import {
  ABSENTEES,
  ADDED_NEEDS,
  type Asker,
  CREWS,
  isNamed,
  OUTCOMES,
  REQUEST_CHANNELS,
  type RouteOfWorld,
  SECOND,
  STARTED_BY_CLEO,
  UNKNOWN,
  WATCHER_SECRET,
} from './settings.ts';

interface AutomationNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly door: Door;
  readonly jobs: JobIdentity;
  readonly now: () => number;
  /** Who can be the requester. */
  readonly askers: readonly Asker[];
  /** The routes of the world. */
  readonly routes: readonly [RouteOfWorld, ...RouteOfWorld[]];
}

/** What is special about one gate. */
export interface Wish {
  /** It replaces older ones with that name. */
  readonly supersedes?: string;
  /** Only the service has its description. */
  readonly isWordless?: boolean;
  /** Its title is all that it says, so that its message is not made shorter later. */
  readonly isShort?: true;
  /** It is Gatepost's own; absent: by chance. */
  readonly isOwn?: boolean;
  /** The requester, by id or address. */
  readonly askedBy?: string;
  /** How long it waits. */
  readonly lifeMs?: number;
  /** It changes nothing of the rules of its route, but for a need. */
  readonly isPlain?: boolean;
  /** It adds this one. */
  readonly need?: NeedSeen;
  /** Its automation gets callbacks. */
  readonly isCalledBack?: true;
}

interface Terms {
  /** Members of the request's body. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly quorum: number;
  readonly needs: readonly NeedSeen[];
  /** Who can decide it. */
  readonly reviewers: readonly string[];
  readonly mayBeRefused: readonly string[];
  readonly home: HomeOf;
  readonly escalates: NonNullable<Gate['escalates']>;
  readonly adds: NonNullable<Gate['adds']>;
  /** undefined: groups, or a channel. */
  readonly asked: readonly string[] | undefined;
  readonly askers: readonly string[];
}

/** How long most automations wait for the intake before they retry. */
const PATIENCE_MS = 10_000;
const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * The automations: each reaches a gate and sends its token (or the key of an own gate) to the intake until that
 * confirms it. Some send it again although it was confirmed, or withdraw it.
 */
export class Automations {
  readonly #needs: AutomationNeeds;
  /** Gates that no intake has accepted yet. */
  underWay = 0;

  constructor(needs: AutomationNeeds) {
    this.#needs = needs;
  }

  /** An automation reaches its gate. */
  reach(
    number: number,
    route = this.#needs.chance.pick(this.#needs.routes),
    wish: Wish = {},
  ): Gate {
    const { sandbox, chance, observer, scheduler, chronicle, now, askers } = this.#needs;
    const { supersedes, isWordless = false, isShort = false, isPlain = false } = wish;
    const mayBeOwn = chance.often(0.15) && !isWordless && !isPlain;
    const drawn = route.isLoud ? chance.branch(`own/${number}`).often(0.8) : mayBeOwn;
    const { isOwn = drawn } = wish;
    const name = `g${number}`;
    const prompt = `May ${name} go on?`;
    const title = `Gate ${name}`;
    const words = isWordless
      ? { prompt }
      : { message: isShort ? title : `Please look at ${name}.` };
    const { message } = { message: undefined, ...words };
    // Its requester is whom the token names, whatever it says.
    const isUsual = askers.includes(STARTED_BY_CLEO) && !route.isLoud && !route.substitutes;
    const canProve = isUsual && wish.askedBy === undefined && !isPlain && supersedes === undefined;
    const isProved = canProve && chance.branch(`proved/${number}`).often(0.2);
    const terms = this.#terms(number, route, isOwn, wish, isProved);
    const usualMs = chance.often(0.12)
      ? chance.whole(5_000, 60_000)
      : chance.whole(40_000, chance.often(0.3) ? 240_000 : 100_000);
    const { lifeMs = usualMs } = wish;
    const token = isOwn ? '' : chance.bytes(24).toString('base64url');
    const key = `key/${name}`;
    const expiresAt = new Date(now() + lifeMs).toISOString();
    const newer = supersedes === undefined ? {} : { supersedes };
    const shown = { title, route: route.name, message, expiresAt, ...newer, ...terms.sent };
    const gate: Gate = {
      name,
      authority: isOwn ? 'gatepost' : 'service',
      title,
      ...words,
      ...newer,
      ...(isOwn && { key }),
      body: JSON.stringify({ ...(isOwn ? { key } : { token }), ...shown }),
      route: route.name,
      channel: route.channel,
      token,
      madeAt: now(),
      deadlineAt: now() + lifeMs,
      quorum: terms.quorum,
      needs: [...terms.needs],
      reviewers: [...terms.reviewers],
      mayBeRefused: [...terms.mayBeRefused],
      home: terms.home,
      ...(terms.asked !== undefined && { asked: [...terms.asked] }),
      escalates: [...terms.escalates],
      adds: [...terms.adds],
      ofRoute: [...route.reviewers],
      substitutes: route.substitutes === true,
      holdMs: route.holdMs ?? 0,
      ...(route.remindMs !== undefined && { remindMs: route.remindMs }),
      isLoud: isOwn && route.isLoud === true,
      askers: [...terms.askers],
      pressers: pressersOf(route),
      intake: [],
      withdrawals: [],
      reports: [],
      reasons: [],
      refusals: [],
      isCalledBack: (chance.often(0.5) && !isProved) || wish.isCalledBack === true,
      ...(isProved && { isProved }),
      effects: [],
      calls: [],
      tries: [],
      announced: [isShort ? 'outcome-thread' : 'outcome-request', 'outcome-channel'],
      place: null,
    };
    if (!isOwn) sandbox.service.createApproval({ prompt, token });
    observer.opened(gate);
    const asked = JSON.stringify(terms.sent);
    chronicle.note(
      'automation',
      `reaches ${name} (${gate.authority}, ${route.name}, ${asked})`,
      name,
    );
    this.#handOver(gate);
    if (!isOwn) scheduler.after(lifeMs, () => this.timeOut(gate));
    return gate;
  }

  /** The requester, the people asked, and how many approvals it needs. */
  #terms(
    number: number,
    route: RouteOfWorld,
    isOwn: boolean,
    { askedBy, isPlain = false, need }: Wish,
    isProved: boolean,
  ): Terms {
    const chance = this.#needs.chance.branch(`terms/${number}`);
    const { askers: all } = this.#needs;
    // On a loud route the requester is certain.
    const known = all.filter(({ requestedBy: { slackUser = '' } }) =>
      route.reviewers.includes(slackUser),
    );
    const drawn = chance.often(route.isLoud ? 0.7 : 0.35)
      ? chance.pick(route.isLoud ? known : all)
      : undefined;
    const usual = isPlain ? undefined : drawn;
    const asker = isProved
      ? STARTED_BY_CLEO
      : askedBy === undefined
        ? usual
        : all.find((each) => isNamed(each, askedBy));
    const isNarrowed = chance.often(0.2) && !isPlain;
    // Membership of a group or a channel is checked only at the click, so a request can name people whom its route does
    // not.
    const isOpen = route.group !== undefined || route.isOpen === true;
    const nameable = isOpen ? [...route.reviewers, UNKNOWN] : route.reviewers;
    const wanted = nameable.filter(() => !isNarrowed || chance.often(0.6));
    const { requestedBy, are = [], self, mayBe: mayBeRefused = [] } = asker ?? {};
    const isSelf = route.isLenient === true || route.isSelf === true;
    const isLoud = route.isLoud === true && isOwn;
    const askers = isSelf || isLoud ? [] : are;
    // Without others who can be told, the requester can only reject it.
    const isAlone = isLoud && route.reviewers.every((each) => are.includes(each));
    // The intake does not know whose an address is.
    const told = requestedBy?.login === undefined ? requestedBy?.slackUser : self;
    const mayDecide = (each: string) => isSelf || each !== told;
    const able = wanted.filter(mayDecide);
    // Fewer people than are needed would be refused.
    const ofRoute = route.needs ?? [];
    const isEnough = able.length >= route.quorum && canBeFilled(ofRoute, able);
    const named = isNarrowed && isEnough ? wanted : route.reviewers;
    const drawnNeed = isPlain ? undefined : this.#addedNeed(number, route, named.filter(mayDecide));
    const added = need ?? drawnNeed;
    const isMore = chance.often(route.isLenient ? 0.35 : 0.15) && !isPlain;
    const wish = route.quorum + (route.isLenient && chance.often(0.5) ? 2 : 1);
    const more = isMore ? Math.min(wish, able.length) : 0;
    const quorum = isEnough ? Math.max(more, route.quorum) : route.quorum;
    const mayKnow = route.isOpen ? EVERYBODY : route.reviewers;
    const { escalate: escalates = [] } = route;
    const later = escalates.flatMap(({ users }) => users);
    const ofRequest = mayKnow.filter((each) => named !== wanted || wanted.includes(each));
    const reviewers = [...new Set([...ofRequest, ...later])];
    const asked = self === undefined ? [] : [self];
    // Whether two accounts are one person's is checked when somebody decides.
    const askedInSlack = self === undefined ? are : asked;
    return {
      sent: {
        ...(requestedBy !== undefined && !isProved && { requestedBy }),
        ...(isProved && chance.often(0.5) && { requestedBy: { name: 'Somebody else' } }),
        ...(named === wanted && { reviewers: { users: wanted } }),
        ...(quorum > route.quorum && { quorum }),
        ...(added !== undefined && { need: [added] }),
      },
      quorum,
      needs: added === undefined ? ofRoute : [...ofRoute, added],
      mayBeRefused: isAlone ? [...mayBeRefused, ...are] : mayBeRefused,
      home: {
        asked,
        waitsFor: reviewers.filter((each) => isSelf || !askedInSlack.includes(each)),
        concerns: [...reviewers, ...asked],
      },
      reviewers: [
        ...new Set([...route.reviewers.filter((each) => named.includes(each)), ...later]),
      ].filter((each) => !askers.includes(each)),
      escalates,
      adds: [
        ...(named === wanted && isNarrowed ? (['reviewers'] as const) : []),
        ...(quorum > route.quorum ? (['quorum'] as const) : []),
        ...(added === undefined ? [] : (['need'] as const)),
      ],
      asked: isOpen && named !== wanted ? undefined : named,
      askers: [...new Set([...are, ...asked, ...mayBeRefused])],
    };
  }

  /** A need that some requests add to those of their route, if there are enough people for it. */
  #addedNeed(number: number, route: RouteOfWorld, able: readonly string[]): NeedSeen | undefined {
    const chance = this.#needs.chance.branch(`needs/${number}`);
    if (!chance.often(route.needs === undefined ? 0.12 : 0.3)) return undefined;
    const need = chance.pick(ADDED_NEEDS);
    return canBeFilled([...(route.needs ?? []), need], able) ? need : undefined;
  }

  /** The approval times out at the service, or somebody decides there. */
  timeOut(gate: Gate): void {
    if (this.#needs.sandbox.service.timeOut(gate.token))
      this.#needs.observer.looked(gate, 'deadline');
  }

  decideElsewhere(gate: Gate, wanted?: 'approve' | 'reject'): void {
    const { sandbox, chance, observer } = this.#needs;
    const action = wanted ?? (chance.often(0.5) ? 'approve' : 'reject');
    if (gate.token === '') return;
    if (sandbox.service.decide(gate.token, action)) observer.looked(gate, 'elsewhere');
  }

  /** The automation withdraws its request. */
  withdraw(gate: Gate): void {
    const record = gate.intake.findLast((each) => each.record !== null)?.record;
    if (record === undefined || record === null) return;
    const { chronicle, now } = this.#needs;
    chronicle.note('automation', `withdraws ${gate.name}`, gate.name);
    const again = (): void => {
      const at = now();
      void this.send(gate, `/v1/approvals/${record}/withdraw`, '').then((answer) => {
        const status = answer?.status ?? null;
        const isTaken = status !== null && status < 300;
        chronicle.note(
          'automation',
          `reads ${status} to its withdrawal of ${gate.name}`,
          gate.name,
        );
        // A store that did not answer may have stored it.
        if (isTaken || status === null || status >= 500)
          gate.withdrawals.push({ at, answeredAt: isTaken ? now() : null });
        if (status === null || status >= 500) this.#later(again);
      });
    };
    again();
  }

  /** Slack accepts messages there again: some automations give up at that very moment. */
  opened(channel: string): void {
    const { observer, chance, scheduler } = this.#needs;
    for (const gate of observer.gates) {
      const isBlocked = gate.channel === channel && gate.place === null;
      if (isBlocked && gate.effects.length === 0 && chance.often(0.4))
        scheduler.after(chance.whole(0, 400), () => this.withdraw(gate));
    }
  }

  /** The automation asks for a check, which reads the status from the service now. */
  check(gate: Gate): void {
    const record = gate.intake.findLast((each) => each.record !== null)?.record;
    if (record === undefined || record === null) return;
    this.#needs.chronicle.note('automation', `has ${gate.name} checked`, gate.name);
    void this.send(gate, `/v1/approvals/${record}/check`, '');
  }

  #handOver(gate: Gate): void {
    const { chance, observer, chronicle, now } = this.#needs;
    this.underWay += 1;
    const again = (): void => {
      const seen: Gate['intake'][number] = {
        at: now(),
        answeredAt: null,
        status: null,
        record: null,
      };
      gate.intake.push(seen);
      void this.send(gate, '/v1/approvals', gate.body).then((answer) => {
        if (answer !== null) {
          seen.answeredAt = now();
          seen.status = answer.status;
          const { id } = JSON.parse(answer.body);
          if (answer.status < 300 && typeof id === 'string') {
            seen.record = id;
            observer.recorded(gate, id);
          }
        }
        chronicle.note(
          'automation',
          `reads ${seen.status} ${seen.record ?? ''} for ${gate.name}`,
          gate.name,
        );
        if (seen.status === null || seen.status >= 500 || seen.status === 429)
          return this.#later(again);
        this.underWay -= 1;
        // It sends the same request again, as if its own caller had lost the answer.
        if (chance.often(0.08)) this.#later(() => this.#handOver(gate));
      });
    };
    again();
  }

  #later(run: () => void): void {
    const { scheduler, chance } = this.#needs;
    scheduler.after(chance.whole(500, 5_000), run);
  }

  /** With the secret of its automation. */
  send({ isCalledBack, isProved }: Gate, path: string, body: string) {
    const { door, sandbox, jobs } = this.#needs;
    const own = isCalledBack ? sandbox.credentials.intakeSecret : WATCHER_SECRET;
    const secret = isProved ? jobs.token() : own;
    const authorization = `Bearer ${secret}`;
    const headers = { authorization, ...(body !== '' && JSON_TYPE) };
    return door.intake({ method: 'POST', path, headers, body }, PATIENCE_MS);
  }
}

/** With substitutes anybody may press. */
function pressersOf({ reviewers, escalate = [], substitutes }: RouteOfWorld): readonly string[] {
  const others = [...escalate.flatMap(({ users }) => users), ...(substitutes ? ABSENTEES : [])];
  return [...new Set([...reviewers, ...others])];
}

/** Both accounts of Cleo are one person. */
function canBeFilled(needs: readonly NeedSeen[], ids: readonly string[]): boolean {
  const people = [...new Set(ids.map((each) => (each === SECOND ? 'U0CLEO' : each)))];
  return canFillAll(needs, people, (person, { of }) => {
    const groups = of.groups.map((group) => CREWS[group] ?? []);
    return [of.users, ...groups].some((all) => all.includes(person));
  });
}

export const CHANNELS = [...REQUEST_CHANNELS, OUTCOMES];
