import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ServiceFault } from '../../sandbox/service/service-handle.ts';
import type { WorkspaceFault } from '../../sandbox/workspace/workspace-handle.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Observer } from './observer.ts';
import type { Scheduler } from './scheduler.ts';

interface QuirkNeeds {
  readonly sandbox: Pick<Sandbox, 'service' | 'workspace'>;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly chronicle: Chronicle;
  readonly observer: Observer;
  readonly now: () => number;
}

interface Quirk {
  readonly what: string;
  /** Its shortest and longest duration, in milliseconds. */
  readonly ms: readonly [number, number];
  readonly service?: ServiceFault;
  readonly slack?: WorkspaceFault;
  /** What is said of people during that time is false: those who could decide may be refused. */
  readonly isOfPeople?: true;
}

/** What the service and Slack do for a while, each time to all callers: no fault of a connection would cause it. */
const QUIRKS: readonly [Quirk, ...Quirk[]] = [
  {
    what: 'the service does not accept decisions',
    ms: [2_000, 20_000],
    service: { kind: 'refused', operation: 'respond' },
  },
  {
    what: 'the service is too busy for decisions',
    ms: [2_000, 15_000],
    service: { kind: '429', operation: 'respond' },
  },
  {
    what: 'the answers to decisions cannot be read',
    ms: [2_000, 20_000],
    service: { kind: 'unreadable', operation: 'respond' },
  },
  {
    what: 'the answers to decisions are lost',
    ms: [12_000, 30_000],
    service: { kind: 'dropAfter', operation: 'respond' },
  },
  {
    what: 'decisions do not arrive',
    ms: [12_000, 30_000],
    service: { kind: 'dropBefore', operation: 'respond' },
  },
  {
    what: 'the service shows no approval',
    ms: [1_000, 8_000],
    service: { kind: 'refused', operation: 'getApproval' },
  },
  {
    what: 'the service is too busy to show approvals',
    ms: [3_000, 15_000],
    service: { kind: '429', operation: 'getApproval' },
  },
  {
    what: 'the service shows no account',
    ms: [1_000, 8_000],
    service: { kind: 'refused', operation: 'listUsers' },
  },
  {
    what: 'Slack takes the plan for one without groups',
    ms: [1_000, 8_000],
    slack: { kind: 'refused', method: 'usergroups.users.list', error: 'paid_teams_only' },
    isOfPeople: true,
  },
  {
    what: 'Slack knows nobody',
    ms: [500, 3_000],
    slack: { kind: 'refused', method: 'users.info', error: 'user_not_found' },
    isOfPeople: true,
  },
  {
    what: 'Slack lets nobody be looked up',
    ms: [500, 3_000],
    slack: { kind: 'refused', method: 'users.info', error: 'missing_scope' },
  },
];

const EVERY_MS = 45_000;
/** What was said at its end is still in flight. */
const ON_ITS_WAY_MS = 12_000;

/** One of them now and then, one after the other, until the faults are over. */
export class Quirks {
  readonly #needs: QuirkNeeds;
  #isOver = false;
  /** Until then none starts by itself. */
  #restsUntil = 0;
  count = 0;

  constructor(needs: QuirkNeeds) {
    this.#needs = needs;
    this.#wait();
  }

  end(): void {
    this.#isOver = true;
  }

  rest(forMs: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, this.#needs.scheduler.now + forMs);
  }

  /** The service fails whenever it is asked for that person's account. */
  hideAccount(person: string, forMs: number): void {
    const { sandbox, scheduler, chronicle } = this.#needs;
    const email = sandbox.workspace.user(person)?.profile.email ?? '';
    let isOn = !this.#isOver;
    sandbox.service.fault({
      kind: '500',
      operation: 'listUsers',
      when: ({ body }) => isOn && !this.#isOver && JSON.stringify(body).includes(email),
    });
    this.count += 1;
    chronicle.noteForAll('quirk', `the service shows no account of ${person}, for ${forMs} ms`);
    scheduler.after(forMs, () => {
      isOn = false;
    });
  }

  /** Slack answers as if the group did not exist, to whoever asks for its members. */
  hideGroup(group: string, forMs: number): void {
    const { sandbox, scheduler, chronicle, observer, now } = this.#needs;
    let isOn = !this.#isOver;
    const isAsked = (body: Readonly<Record<string, unknown>>) =>
      isOn && !this.#isOver && body.usergroup === group;
    sandbox.workspace.fault({
      ...{ kind: 'refused', method: 'usergroups.users.list', error: 'no_such_subteam' },
      when: (body) => {
        if (!isAsked(body)) return false;
        observer.hidden.push({ at: now(), group });
        return true;
      },
    });
    this.count += 1;
    chronicle.noteForAll('quirk', `Slack does not show ${group}, for ${forMs} ms`);
    scheduler.after(forMs, () => {
      isOn = false;
    });
  }

  #wait(): void {
    const { scheduler, chance } = this.#needs;
    scheduler.after(chance.wait(1_000, EVERY_MS, 4 * EVERY_MS), () => {
      if (this.#isOver) return;
      const next = chance.pick(QUIRKS);
      if (scheduler.now < this.#restsUntil) this.#wait();
      else this.#begin(next);
    });
  }

  #begin({ what, ms, service, slack, isOfPeople }: Quirk): void {
    const { sandbox, scheduler, chance, chronicle, observer, now } = this.#needs;
    let isOn = true;
    const when = () => isOn && !this.#isOver;
    if (service !== undefined) sandbox.service.fault({ ...service, when });
    if (slack !== undefined) sandbox.workspace.fault({ ...slack, when });
    const forMs = chance.whole(...ms);
    this.count += 1;
    chronicle.noteForAll('quirk', `${what}, for ${forMs} ms`);
    if (isOfPeople) observer.doubts.push({ from: now(), to: now() + forMs + ON_ITS_WAY_MS });
    scheduler.after(forMs, () => {
      isOn = false;
      this.#wait();
    });
  }
}
