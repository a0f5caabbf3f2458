import { setTimeout as pause } from 'node:timers/promises';
import type { FaultKind } from '../../sandbox/faults.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Observer } from './observer.ts';
import type { Random } from './random.ts';

/** All methods that a bot calls while it works; those of its start never fail, or it would not start. */
const METHODS = [
  'chat.postMessage',
  'chat.update',
  'chat.postEphemeral',
  'conversations.history',
  'conversations.replies',
  'conversations.open',
  'users.info',
  'usergroups.users.list',
  'response_url',
];
const KINDS: readonly FaultKind[] = ['429', '500', 'dropBefore', 'dropAfter', 'reset'];
const SLOW_MS = [100, 500, 2_000];
/** The share of requests that each kind of fault affects. */
const SHARE = 0.012;
/** How long an outage of one server lasts, and how often one starts. */
const OUTAGE_MS = [1_500, 5_000] as const;
const OUTAGE_EVERY_MS = [15_000, 30_000] as const;
/** How long a person has no account, and how often that starts. */
const RIGHTLESS_MS = [2_000, 8_000] as const;
const RIGHTLESS_EVERY_MS = [3_000, 9_000] as const;

/**
 * Faults around the bots: calls that fail or are slow, servers that are away, people who lose and regain their account.
 */
export interface Weather {
  readonly faults: number;
  calm(): Promise<void>;
}

export function startWeather(sandbox: Sandbox, observer: Observer, random: Random): Weather {
  const { workspace, service } = sandbox;
  let faults = 0;
  const calming = new AbortController();
  const { signal } = calming;
  let away: 'slack' | 'service' | null = null;
  const counted = (isMet: boolean): boolean => {
    if (isMet) faults += 1;
    return isMet;
  };
  const when = () => counted(random.chance(SHARE));
  const isAway = (which: typeof away) => () => counted(away === which);
  service.fault({ kind: 'dropBefore', when: isAway('service') });
  for (const method of METHODS) workspace.fault({ method, kind: '500', when: isAway('slack') });
  for (const kind of [...KINDS, 'html', 'unreadable'] as const) service.fault({ kind, when });
  for (const ms of SLOW_MS) service.fault({ kind: 'latency', ms, when });
  for (const method of METHODS) {
    for (const kind of KINDS) workspace.fault({ method, kind, when });
    for (const ms of SLOW_MS) workspace.fault({ method, kind: 'latency', ms, when });
  }
  const wait = ([least, most]: readonly [number, number]) =>
    pause(random.between(least, most), undefined, { signal });
  const outages = async (): Promise<void> => {
    for (;;) {
      await wait(OUTAGE_EVERY_MS);
      away = random.pick(['slack', 'service']);
      await wait(OUTAGE_MS);
      away = null;
    }
  };
  const leavers = async (): Promise<void> => {
    for (;;) {
      await wait(RIGHTLESS_EVERY_MS);
      const person = random.pick(['U0CLEO', 'U0DANA']);
      setRight(sandbox, observer, person, false);
      await wait(RIGHTLESS_MS).finally(() => setRight(sandbox, observer, person, true));
    }
  };
  const untilCalm = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  const going = Promise.all([untilCalm(outages()), untilCalm(leavers())]);
  return {
    get faults() {
      return faults;
    },
    async calm() {
      calming.abort();
      await going;
      workspace.clearFaults();
      service.clearFaults();
    },
  };
}

/** Removes or restores a person's account in the service. */
function setRight({ service }: Sandbox, { rights }: Observer, person: string, can: boolean): void {
  const name = `${person.slice(2).toLowerCase()}@example.com`;
  service.setUser(name, { active: can });
  rights.push({ at: Date.now(), person, can, serviceUser: serviceUserOf({ service }, person) });
}

/** The service's id of a person; null: it does not know them. */
export function serviceUserOf(
  { service }: Pick<Sandbox, 'service'>,
  person: string,
): string | null {
  const name = `${person.slice(2).toLowerCase()}@example.com`;
  return service.users().find(({ userName }) => userName === name)?.id ?? null;
}
