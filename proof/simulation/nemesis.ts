import type { Service } from '../../sandbox/service/service-handle.ts';
import type { Workspace } from '../../sandbox/workspace/workspace-handle.ts';
import type { MemorySnapshot } from '../../src/core/store/memory/memory-store.ts';
import { CHANNELS } from './automations.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Observer } from './observer.ts';
import type { Receiver } from './receiver.ts';
import type { Replica } from './replica.ts';
import type { Scheduler } from './scheduler.ts';
import { ROUTES } from './settings.ts';
import type { Link, Weather } from './weather.ts';

interface NemesisNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly weather: Weather;
  readonly chronicle: Chronicle;
  readonly observer: Observer;
  readonly now: () => number;
  readonly replicas: () => readonly Replica[];
  readonly startReplica: (name: string) => void;
  readonly memory: { snapshot(): MemorySnapshot; restore(snapshot: MemorySnapshot): void };
  readonly receiver: Pick<Receiver, 'isAway' | 'isMended'>;
  readonly service: Pick<Service, 'variant' | 'setVariant'>;
  readonly workspace: Pick<Workspace, 'archive' | 'unarchive'>;
  readonly server: { isAway: boolean; generation: number; isPartAway: boolean };
  /** Off in some worlds: what it can lose would excuse too much in the others. */
  readonly rewinds: boolean;
  /** In some worlds there are fewer faults: they leave people time for what they do. */
  readonly quiet: boolean;
  /** In some worlds clocks are also set by an hour, for a while. */
  readonly hours: boolean;
  /** Channels are archived in some worlds: nobody is asked there during that time. */
  readonly archives: boolean;
  /** Called when one is open again. */
  readonly onOpened: (channel: string) => void;
}

const LINKS: readonly [Link, ...Link[]] = [
  'store',
  'service',
  'slack',
  'deliveries',
  'intake',
  'callbacks',
];

const HOUR_MS = 3_600_000;

/** How long a server lags that nobody fails over to. */
const LAG_MS = 15_000;

interface Lagging {
  readonly snapshot: ReturnType<NemesisNeeds['memory']['snapshot']>;
  readonly from: number;
}

/**
 * Faults of processes, clocks and the store: replicas are killed at any moment and restarted, stopped for longer than a
 * lease, their clocks differ and jump; the store is away, and goes back by a second; storms affect one connection after
 * the other. It runs until the faults are over.
 */
export class Nemesis {
  readonly #needs: NemesisNeeds;
  #isOver = false;
  #restarts = 0;
  /** While the store goes back, no other fault starts. */
  #isRewinding = false;
  /** Until then none starts by itself. */
  #restsUntil = 0;
  /** For faults at the moment of a press or a decision. */
  readonly #moments: Chance;
  readonly #channels: Chance;
  readonly #hours: Chance;
  readonly #archived = new Set<string>();
  /** Nothing else archives it, which would open it early. */
  #archivedForLong: string | undefined;
  /** Until when a channel is archived for long, also when the other faults are over. */
  mendedAt = 0;
  kills = 0;
  /** Faults of processes and of the store, not counting those of single messages. */
  faults = 0;

  constructor(needs: NemesisNeeds) {
    this.#needs = needs;
    this.#moments = needs.chance.branch('moments');
    this.#channels = needs.chance.branch('channels');
    this.#hours = needs.chance.branch('hours');
    const acts: readonly (readonly [number, () => void])[] = [
      [25_000, () => this.#kill()],
      [60_000, () => this.#stop()],
      [45_000, () => this.#jump()],
      [90_000, () => this.takeAway(needs.chance.whole(100, 12_000))],
      [150_000, () => this.#takePartAway()],
      [30_000, () => this.#storm()],
      [120_000, () => this.#lockOut()],
      [90_000, () => this.#closeReceiver()],
      [60_000, () => this.#rewind(needs.chance.whole(50, 1_000))],
    ];
    for (const [everyMs, act] of acts) this.#repeat(needs.quiet ? 4 * everyMs : everyMs, act);
    if (needs.hours) this.#repeat(50_000, () => this.#setByAnHour(), this.#hours);
    if (!needs.archives) return;
    const archive = () =>
      this.#archive(this.#channels.pick(CHANNELS), this.#channels.wait(500, 8_000, 40_000));
    this.#repeat(40_000, archive, this.#channels);
    if (!this.#channels.often(0.25)) return;
    needs.scheduler.after(this.#channels.whole(10_000, 90_000), () => this.#archiveForLong());
  }

  /** Somebody pressed: the store may forget that, and everything after it. */
  pressed(): void {
    if (this.#moments.often(0.008)) this.#rewind(this.#moments.whole(300, 4_000));
  }

  /** The service decided: the store may forget its answer, and whose decision it was. */
  decided(): void {
    if (this.#moments.often(0.02)) this.#rewind(this.#moments.whole(50, 2_000));
  }

  /** Somebody read that a route is closed. */
  closed(): void {
    if (this.#hours.often(0.3) && !this.#rests) this.#kill();
  }

  /** The store forgets what happens from now on. */
  forget(afterMs: number): void {
    this.#rewind(afterMs);
  }

  /** The store forgets what happens until that is called, if it is called soon; undefined: not now. */
  lag(): (() => void) | undefined {
    const { scheduler, memory, server, now, rewinds } = this.#needs;
    if (!rewinds || this.#isRewinding || this.#isOver || server.isAway) return undefined;
    this.#isRewinding = true;
    const lagging = { snapshot: memory.snapshot(), from: now() };
    let isOver = false;
    scheduler.after(LAG_MS, () => {
      if (!isOver) this.#isRewinding = false;
      isOver = true;
    });
    return () => {
      if (!isOver) this.#goBack(lagging);
      isOver = true;
    };
  }

  /** Somebody asks there: Slack may refuse the message. */
  asking(channel: string): void {
    if (!this.#needs.archives || this.#isOver || !this.#channels.often(0.05)) return;
    this.#archive(channel, this.#channels.whole(1_500, 8_000));
  }

  /** For that long, no process fails, and no other fault starts by itself. */
  rest(forMs: number): void {
    this.#restsUntil = Math.max(this.#restsUntil, this.#needs.scheduler.now + forMs);
  }

  get #rests(): boolean {
    return this.#needs.scheduler.now < this.#restsUntil;
  }

  /** Ends all faults that are still on. */
  end(): void {
    this.#isOver = true;
    const { replicas, weather, server, service, receiver, workspace } = this.#needs;
    weather.clear();
    receiver.isAway = false;
    receiver.isMended = true;
    service.setVariant({ approvalCredential: 'none' });
    for (const channel of this.#archived) workspace.unarchive(channel);
    server.isAway = false;
    server.isPartAway = false;
    for (const replica of replicas()) {
      replica.clockOffMs = 0;
      if (replica.isPaused) replica.resume();
    }
    this.#endInterruptions();
  }

  /** All but those of processes that are not started again yet. */
  #endInterruptions(): void {
    const { observer, now } = this.#needs;
    const { interruptions } = observer;
    for (const [place, each] of interruptions.entries()) {
      const isKept = each.to <= now() || each.what.endsWith(' is killed');
      if (!isKept) interruptions[place] = { ...each, to: now() };
    }
  }

  #repeat(everyMs: number, act: () => void, chance = this.#needs.chance): void {
    const { scheduler } = this.#needs;
    scheduler.after(chance.wait(1_000, everyMs, 4 * everyMs), () => {
      if (this.#isOver) return;
      if (!this.#rests) act();
      this.#repeat(everyMs, act, chance);
    });
  }

  #living(): Replica | undefined {
    const { chance, replicas } = this.#needs;
    return chance.pick(replicas().filter((each) => !each.isDead && !each.isPaused));
  }

  #kill(): void {
    const { chance, scheduler } = this.#needs;
    const victim = this.#living();
    if (victim === undefined) return;
    victim.kill();
    this.kills += 1;
    const backMs = chance.wait(100, 2_000, 20_000);
    this.#note(`${victim.name} is killed`, backMs);
    this.#restarts += 1;
    const name = `${victim.name.split('.')[0]}.${this.#restarts}`;
    scheduler.after(backMs, () => this.#needs.startReplica(name));
  }

  /** As a machine that is suspended, or swaps. */
  #stop(): void {
    const { chance } = this.#needs;
    const victim = this.#living();
    if (victim === undefined) return;
    const forMs = chance.often(0.5) ? chance.whole(100, 5_000) : chance.whole(5_000, 40_000);
    this.stop(victim, forMs);
  }

  stop(victim: Replica, forMs: number): void {
    if (!this.#rests) this.hold(victim, forMs);
  }

  /** Whether other faults rest or not. */
  hold(victim: Replica, forMs: number): void {
    if (victim.isDead || victim.isPaused) return;
    const { scheduler } = this.#needs;
    victim.pause();
    this.#note(stillness(victim), forMs);
    scheduler.after(forMs, () => this.#goesOn(victim));
  }

  /** Earlier than it would. */
  goOn(victim: Replica): void {
    const { observer, now } = this.#needs;
    const what = stillness(victim);
    const place = observer.interruptions.findLastIndex((each) => each.what === what);
    const each = observer.interruptions[place];
    if (each === undefined || each.to <= now()) return;
    observer.interruptions[place] = { ...each, to: now() };
    this.#goesOn(victim);
  }

  #goesOn(victim: Replica): void {
    if (victim.isDead || !victim.isPaused) return;
    this.#needs.chronicle.noteForAll(victim.name, 'goes on');
    victim.resume();
  }

  #jump(): void {
    const { chance } = this.#needs;
    const victim = this.#living();
    if (victim === undefined) return;
    victim.clockOffMs = chance.whole(-60_000, 60_000);
    this.#note(`clock of ${victim.name} is off by ${victim.clockOffMs} ms`, 0);
  }

  /** Slack's requests are too old or too new for it then. */
  #setByAnHour(): void {
    const victim = this.#living();
    if (victim === undefined) return;
    victim.clockOffMs = this.#hours.often(0.5) ? HOUR_MS : -HOUR_MS;
    const forMs = this.#hours.whole(1_000, 20_000);
    this.#note(`clock of ${victim.name} is off by ${victim.clockOffMs} ms`, forMs);
    this.#needs.scheduler.after(forMs, () => {
      victim.clockOffMs = 0;
    });
  }

  /** All clocks are set forward by that much, for a while. */
  setForward(byMs: number, forMs: number): void {
    if (this.#isOver) return;
    const set = this.#needs
      .replicas()
      .filter(({ isDead }) => !isDead)
      .map((replica) => ({ replica, offMs: replica.clockOffMs }));
    for (const { replica, offMs } of set) replica.clockOffMs = offMs + byMs;
    this.#note(`clock of every process is set forward by ${byMs} ms`, forMs);
    this.#needs.scheduler.after(forMs, () => {
      if (this.#isOver) return;
      for (const { replica, offMs } of set)
        if (replica.clockOffMs === offMs + byMs) replica.clockOffMs = offMs;
    });
  }

  takeAway(forMs: number): void {
    const { scheduler, server } = this.#needs;
    if (server.isAway || this.#isOver) return;
    server.isAway = true;
    server.generation += 1;
    this.#note('the store is away', forMs);
    scheduler.after(forMs, () => {
      server.isAway = false;
    });
  }

  /** The node of a cluster that keeps the identity links. */
  #takePartAway(): void {
    const { chance, scheduler, server } = this.#needs;
    if (server.isPartAway) return;
    server.isPartAway = true;
    const forMs = chance.whole(1_000, 45_000);
    this.#note('a part of the store is away', forMs);
    scheduler.after(forMs, () => {
      server.isPartAway = false;
    });
  }

  /** A failover to a server that lagged: the latest writes are gone. */
  #rewind(byMs: number): void {
    const goBack = this.lag();
    if (goBack !== undefined) this.#needs.scheduler.after(byMs, goBack);
  }

  #goBack({ snapshot, from }: Lagging): void {
    const { chance, scheduler, memory, server, observer, now } = this.#needs;
    if (this.#isOver || server.isAway) {
      this.#isRewinding = false;
      return;
    }
    server.isAway = true;
    server.generation += 1;
    scheduler.after(chance.whole(200, 3_000), () => {
      this.#isRewinding = false;
      memory.restore(snapshot);
      server.isAway = false;
      this.faults += 1;
      observer.lapses.push({ from, at: now(), keptAcknowledged: false });
      this.#needs.chronicle.noteForAll('store', `goes back by ${now() - from} ms`);
    });
  }

  /** The service refuses the bot for a while: 401 for every call about approvals. */
  #lockOut(): void {
    const { chance, scheduler, service } = this.#needs;
    if (service.variant.approvalCredential === 'apiKey') return;
    service.setVariant({ approvalCredential: 'apiKey' });
    const forMs = chance.whole(1_000, 40_000);
    this.#note('the service lets nobody in', forMs);
    scheduler.after(forMs, () => service.setVariant({ approvalCredential: 'none' }));
  }

  /** Slack accepts no message in a channel, and no update, until somebody opens it again. */
  #archive(channel: string | undefined, forMs: number): void {
    if (channel === undefined || this.#archived.has(channel)) return;
    if (channel === this.#archivedForLong) return;
    this.#archived.add(channel);
    this.#close(channel, forMs, () => this.#archived.delete(channel));
  }

  /** For longer than an update of a message is retried. */
  #archiveForLong(): void {
    const channel = this.#channels.pick(ROUTES.map((route) => route.channel));
    if (channel === undefined || this.#archived.has(channel)) return;
    const forMs = this.#channels.whole(390_000, 480_000);
    this.mendedAt = this.#needs.scheduler.now + forMs;
    this.#archivedForLong = channel;
    this.#close(channel, forMs, () => {});
  }

  #close(channel: string, forMs: number, onOpen: () => void): void {
    const { scheduler, workspace, chronicle, observer, now } = this.#needs;
    workspace.archive(channel);
    this.faults += 1;
    observer.closures.push({ from: now(), to: now() + forMs, channel });
    chronicle.noteForAll('fault', `${channel} is archived, for ${forMs} ms`);
    scheduler.after(forMs, () => {
      onOpen();
      this.#needs.onOpened(channel);
      workspace.unarchive(channel);
    });
  }

  /** No receiver accepts callbacks for a while. */
  #closeReceiver(): void {
    const { chance, scheduler, receiver } = this.#needs;
    if (receiver.isAway) return;
    receiver.isAway = true;
    const forMs = chance.whole(1_000, 20_000);
    this.#note('the receiver of callbacks is away', forMs);
    scheduler.after(forMs, () => {
      receiver.isAway = false;
    });
  }

  #storm(): void {
    const { chance, scheduler, weather } = this.#needs;
    const link = chance.pick(LINKS);
    weather.storm(link, true);
    const forMs = chance.whole(1_000, 15_000);
    this.#note(`storm on the line to ${link}`, forMs);
    scheduler.after(forMs, () => weather.storm(link, false));
  }

  #note(what: string, forMs: number): void {
    const { chronicle, observer, now } = this.#needs;
    this.faults += 1;
    chronicle.noteForAll('fault', `${what}${forMs > 0 ? `, for ${forMs} ms` : ''}`);
    observer.interruptions.push({ from: now(), to: now() + forMs, what });
  }
}

function stillness({ name }: Replica): string {
  return `${name} stands still`;
}
