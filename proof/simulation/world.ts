import { createHash } from 'node:crypto';
import { pino } from 'pino';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { Config } from '../../src/core/config/config.ts';
import type { Connect } from '../../src/core/http/exchange.ts';
import { jose } from '../../src/core/identity-tokens/jose.ts';
import { auditSigner } from '../../src/core/store/audit-chain.ts';
import { Memory } from '../../src/core/store/memory/memory-store.ts';
import type { Lane, Store } from '../../src/core/store/store.ts';
import { readAudit } from '../../src/core/store/tables/audit.ts';
import { mayBeAway, surelyStandsIn } from './absent.ts';
import { Absentees } from './absentees.ts';
import { Automations, CHANNELS, type Wish } from './automations.ts';
import { Chance } from './chance.ts';
import { check } from './checker.ts';
import { hinders } from './checks/holds.ts';
import { Chronicle } from './chronicle.ts';
import { claimsOf } from './claims.ts';
import { mayBeClosed } from './closed-then.ts';
import { enterWorld, leaveWorld } from './closed-world.ts';
import { Closings, FOR_A_DECISION } from './closings.ts';
import { Crews } from './crews.ts';
import { Deletions } from './deletions.ts';
import { Desk } from './desk.ts';
import { createDoor, type Door } from './door.ts';
import type { Evidence, Violation } from './evidence.ts';
import { type FarStoreNeeds, farStore } from './far-store.ts';
import { HeldBack } from './held-back.ts';
import { Holds } from './holds.ts';
import { ISSUER_PATH, JobIdentity } from './job-identity.ts';
import { Mishaps } from './mishaps.ts';
import { Nemesis } from './nemesis.ts';
import { connectTo, inProcess, type NetworkNeeds } from './network.ts';
import { Observer } from './observer.ts';
import { Operations } from './operations.ts';
import { EVERYBODY, People } from './people.ts';
import { PLANTS, type Plant } from './plants.ts';
import { Quirks } from './quirks.ts';
import { Receiver } from './receiver.ts';
import { notingRulesAtOnce, Reloads } from './reloads.ts';
import { Replica } from './replica.ts';
import { Reports } from './reports.ts';
import { metIn, rulesMet } from './rules-met.ts';
import type { Scene } from './scenes/scene.ts';
import { askFor, Scenes } from './scenes.ts';
import { Scheduler } from './scheduler.ts';
import { SecondThoughts } from './second-thoughts.ts';
import {
  ABSENCE_ROUTES,
  ABSENTEES,
  ASKERS,
  CALLBACK_SECRET,
  configOf,
  HIDDEN_ADDRESS,
  HOLD_ROUTES,
  ROUTES,
  type RouteOfWorld,
  routeNamed,
  SECOND,
  yamlOf,
} from './settings.ts';
import { stageOf } from './stage.ts';
import { storyOf } from './story.ts';
import { Weather } from './weather.ts';
import { Wordless } from './wordless.ts';

export interface WorldOptions {
  readonly seed: string;
  readonly approvals: number;
  /** The app's manifest, as YAML. */
  readonly manifest: string;
  /** Without it nothing goes wrong. */
  readonly faults: boolean;
  readonly replicas: number;
  /** The store goes back by up to a few seconds now and then. */
  readonly rewinds: boolean;
  /** Channels are archived now and then, and opened again. */
  readonly archives: boolean;
  /** People are away now and then, and some have a substitute. */
  readonly absences: boolean;
  /** Routes are closed and opened, and clocks are set by an hour. */
  readonly closings: boolean;
  /** Approvals are held, and people approve what they asked for. */
  readonly holds: boolean;
  /** Processes, clocks and the store fail less often. */
  readonly quiet: boolean;
  /** The rules of running processes change, and change back. */
  readonly reloads: boolean;
  /** Its last approvals wait until its scenes have met their rules. */
  readonly waits: boolean;
  /** The scenes that any world can play are among its scenes. */
  readonly usual: boolean;
  /** The name of a bug; see `plants.ts`. */
  readonly plant?: string | undefined;
  /** Keeps the lines of the story. */
  readonly keepsStory: boolean;
  /** Reports all lines. */
  readonly tellsAll?: boolean;
}

export interface WorldReport {
  readonly violations: readonly { readonly violation: Violation; readonly told: string }[];
  readonly approvals: number;
  readonly clicks: number;
  readonly operations: number;
  readonly kills: number;
  readonly faults: number;
  readonly steps: number;
  /** How often each row of `rules-met.ts` was met. */
  readonly met: readonly number[];
  readonly trace: string;
  /** Everything that happened, in order; absent: not asked for. */
  readonly lines?: readonly string[];
}

/** When every world begins, in milliseconds since the epoch. */
const EPOCH = Date.UTC(2026, 0, 5, 8);
const URL = 'http://127.0.0.1';
/** Everything has come to rest long before; decided approvals stay listed for days. */
const LONGEST_MS = 4 * 3_600_000;
/** How many of all approvals wait for scenes, how long altogether, and how often it is tried. */
const OWED = 0.6;
const PATIENCE_MS = 20 * 60_000;
const OWED_MS = 2_000;
/** How long after the last faults everybody's rights are known to all processes. */
const CERTAIN_MS = 100_000;
/** How long what scenes have met is not looked up again. */
const MET_MS = 5_000;
/** What is due by then may be due before a claim arrives. */
const SOON_MS = 50;

/** What the product promises with the timing of production, plus the time of checks and saves. */
const LIMITS: Evidence['limits'] = { quietMs: 15_000, resumeMs: 30_000, rightMs: 17_000 };

/** Runs one world from its seed until it is at rest, and checks it. */
export async function runWorld(options: WorldOptions): Promise<WorldReport> {
  // Loading it takes real time.
  await jose();
  const chance = new Chance(options.seed);
  const scheduler = new Scheduler(chance.branch('order'));
  const now = () => Math.floor(EPOCH + scheduler.now);
  enterWorld({ now, after: (ms, run) => scheduler.after(ms, run) });
  try {
    return await runToRest(options, chance, scheduler, now);
  } finally {
    leaveWorld();
  }
}

async function runToRest(
  options: WorldOptions,
  chance: Chance,
  scheduler: Scheduler,
  now: () => number,
): Promise<WorldReport> {
  const chronicle = new Chronicle(scheduler, options.keepsStory);
  const weather = new Weather(chance.branch('weather'), options.faults);
  const replicas: Replica[] = [];
  const place = inProcess(URL);
  const doorChance = chance.branch('door');
  const made: { observer?: Observer } = {};
  const door: Door = createDoor({
    scheduler,
    chance: doorChance,
    now,
    weather,
    replicas: () => replicas,
    onDelivery: (...delivery) => made.observer?.delivered(...delivery),
    standStill: (replica, ms) => {
      if (weather.isRough) nemesis?.stop(replica, ms);
    },
  });
  const sandboxChance = chance.branch('sandbox');
  const sandbox = await startSandbox({
    manifest: options.manifest,
    now,
    random: (bytes) => sandboxChance.bytes(bytes),
    timers: { pause: (ms) => scheduler.sleep(ms), monotonic: () => scheduler.now },
    post: door.slack,
    serve: place.listen,
  });
  sandbox.connectBot({ eventsUrl: `${URL}/slack/events`, intakeUrl: `${URL}/v1/approvals` });
  const observer = new Observer(sandbox, chronicle, now);
  made.observer = observer;
  makeChannels(sandbox);
  sandbox.workspace.fault({
    ...{ kind: 'refused', method: 'users.lookupByEmail', error: 'users_not_found' },
    when: ({ email }) => email === HIDDEN_ADDRESS,
  });
  const receiver = new Receiver({
    secret: CALLBACK_SECRET,
    scheduler,
    chance: chance.branch('receiver'),
    now,
    isOffByS: options.closings ? 3_600 : 0,
  });
  receiver.onReceived = (seen) => observer.calledBack(seen);

  const settings = chance.branch('settings');
  // In a world with holds the requester has to be known by their account.
  // The first three play the scenes of her two accounts, and of what she asks for.
  const byExternalId = settings.often(0.2) && !options.holds && !options.waits;
  const absenceChance = chance.branch('absences');
  const usual: typeof ROUTES = options.absences
    ? [...ABSENCE_ROUTES, ...ABSENCE_ROUTES, ...ROUTES]
    : ROUTES;
  const jobs = new JobIdentity(chance.branch('jobs').bytes(32), now);
  const routes: typeof ROUTES = options.holds ? [...HOLD_ROUTES, ...HOLD_ROUTES, ...usual] : usual;
  const key = chance.branch('key').bytes(32);
  const [config, changed] = [false, true].map((isChanged) =>
    configOf(sandbox, key, yamlOf({ byExternalId, routes: [...new Set(routes)], isChanged })),
  ) as [Config, Config]; // as: one for each
  const memory = new Memory({
    clock: { now, monotonic: () => scheduler.now },
    random: chance.branch('memory').random(),
    signAudit: auditSigner(config.keys),
  });
  const nextDueIn = (lane: Lane): number => {
    const [first] = memory.begin().tables.due[lane].getKeys({ limit: 1 });
    return first === undefined ? Number.POSITIVE_INFINITY : first[0];
  };
  const server = { isAway: false, generation: 0, isPartAway: false };
  const storeChance = chance.branch('store');
  const netChance = chance.branch('network');
  const logger = pino({ level: 'silent' });
  const planted = plantedWith(options.plant, memory);
  const reloads = new Reloads({
    ...{ scheduler, chronicle, observer, now, changed },
    chance: chance.branch('reloads'),
    replicas: () => replicas,
    usual: config,
    happens: options.reloads,
  });
  const mishaps = new Mishaps({
    scheduler,
    chance: chance.branch('mishaps'),
    weather,
    observer,
    withdraw: (gate) => automations.withdraw(gate),
    undo: (gate, person) => secondThoughts.undo(gate, person),
    isOfChanging: (gate) => reloads.concerns(gate),
    waits: (gate) => reloads.waits(gate),
    canClose: ({ route, deadlineAt }, forMs) =>
      options.closings &&
      (deadlineAt === null || deadlineAt - now() > forMs) &&
      !scenes.keepsRoute(route) &&
      !mayBeClosed(observer, route, now(), now()),
    close: ({ route }) => closings?.closes(route, () => {}, FOR_A_DECISION),
    forgets: options.rewinds,
    isOfScene: (gate) => scenes.has(gate),
    isSilent: (gate) => wordless.isSilent(gate),
    forget: (afterMs) => nemesis?.forget(afterMs),
    lag: () => nemesis?.lag(),
    standStill: (gate, replica, forMs) =>
      scenes.has(gate) ? nemesis?.hold(replica, forMs) : nemesis?.stop(replica, forMs),
    goOn: (replica) => nemesis?.goOn(replica),
    loseVoter: (gate, decider) => people.loseVoter(gate, decider),
  });
  observer.onPressed = (gate) => {
    if (scenes.has(gate)) return;
    mishaps.pressed(gate);
    secondThoughts.pressed(gate);
  };
  const startReplica = (name: string): void => {
    const replica = new Replica({
      name,
      scheduler,
      chance: chance.branch(name),
      now,
      config: reloads.config,
      logger,
      connect: (from) =>
        planted.connect(from, {
          scheduler,
          now,
          chance: netChance,
          weather,
          mishaps,
          serve: async (exchange) =>
            exchange.path.startsWith(ISSUER_PATH) ? jobs.serve(exchange) : place.serve(exchange),
          receiver,
          onExchange: (exchanged) => observer.exchanged(exchanged),
          onBegin: (request) => observer.began(request),
        }),
      openStore: (from) => {
        const store = planted.openStore(from, {
          scheduler,
          chance: storeChance,
          weather,
          mishaps,
          chronicle,
          server,
          isIdle: (lane) => nextDueIn(lane) > memory.now() + SOON_MS,
          onUnlisted: (sinceMs) => observer.unlisted.push({ from: now() - sinceMs, to: now() }),
          onAnswer: ({ name }, ...done) => observer.homes.stored(name, ...done),
          onDelay: (record) => observer.delays.push({ record, at: now() }),
        });
        return notingRulesAtOnce(store, memory.openStore());
      },
    });
    replicas.push(replica);
    replica.start().then(
      () => {
        chronicle.noteForAll(name, 'is ready');
        reloads.started(replica);
      },
      (error: unknown) => {
        chronicle.noteForAll(name, `could not start: ${String(error)}`);
        if (replica.isDead) return;
        replica.kill();
        // Its supervisor starts it again.
        scheduler.after(1_000, () => startReplica(`${name}'`));
      },
    );
  };
  for (let number = 1; number <= options.replicas; number += 1) startReplica(`bot-${number}`);

  const shared = { sandbox, scheduler, observer, chronicle, now };
  const people = new People({
    ...shared,
    chance: chance.branch('people'),
    byExternalId,
    isCleoNew: !byExternalId && settings.often(0.6) && !options.holds && !options.absences,
    leavesSeldom: options.absences || options.holds,
  });
  reloads.onChanged = (isChanged) => people.rulesChanged(isChanged);
  const wordless = new Wordless({
    ...{ scheduler, people },
    chance: chance.branch('wordless'),
    check: (gate) => automations.check(gate),
  });
  people.isDescribed = wordless.isDescribed;
  observer.onDescribed = (gate) => wordless.described(gate);
  const crewChance = chance.branch('crews');
  const crews = new Crews({ ...shared, chance: crewChance });
  const secondThoughts = new SecondThoughts({
    ...shared,
    chance: chance.branch('second thoughts'),
    approveAgain: (gate, person) => people.approveAgain(gate, person),
  });
  const holds = new Holds({
    ...{ ...shared, people, secondThoughts },
    chance: chance.branch('holds'),
    approveElsewhere: (gate) => automations.decideElsewhere(gate, 'approve'),
  });
  const heldBack =
    options.faults && options.replicas > 1
      ? new HeldBack({
          ...shared,
          chance: chance.branch('held back'),
          door,
          people,
          secondThoughts,
        })
      : null;
  // If an account is named by its external id and not listed, it is not known that both of her accounts are one
  // person's.
  const askers = ASKERS.filter(({ are }) => !byExternalId || !are.includes(SECOND));
  let metNow: { until: number; rows: readonly string[] } = { until: 0, rows: [] };
  const sceneChance = chance.branch('scenes');
  const restOfFaults = (forMs: number) => {
    nemesis?.rest(forMs);
    quirks?.rest(forMs);
  };
  const scenes = new Scenes({
    ...{ scheduler, people, askers, holds: options.holds, absences: options.absences },
    waits: options.waits,
    usual: options.usual,
    closings: options.closings,
    hasSeveral: options.replicas > 1,
    forgets: options.rewinds,
    reloads: options.reloads,
    chance: sceneChance,
    absentees: () => absentees,
    mayBeAway: (person) => mayBeAway(observer, person, now()),
    mayBeClosed: (route) => mayBeClosed(observer, route, now(), now()),
    isArchived: (name) =>
      observer.closures.some(
        ({ channel, to }) => to > now() && channel === routeNamed(name)?.channel,
      ),
    rulesMet: () => {
      if (scheduler.now < metNow.until) return metNow.rows;
      const seen = observer.evidence([...readAudit(memory.begin().tables, 0)], LIMITS);
      // What is derived from them is kept, and they go on.
      const [rights, absences] = [[...seen.rights], [...(seen.absences ?? [])]];
      const approvals = observer.gates.filter((each) => scenes.has(each));
      // There are many rows on Home tabs, and no rule is met by one.
      const homes = (seen.homes ?? []).map((each) => ({ ...each, rows: [] }));
      const rows = metIn(rulesMet({ ...seen, rights, absences, approvals, homes }));
      metNow = { until: scheduler.now + MET_MS, rows };
      return rows;
    },
    restOfFaults,
    isCalm: () => !observer.interruptions.some((each) => hinders(each) && each.to > now()),
    areRulesUsual: () => !reloads.areChanged,
    askAgain: (scene) => askAgain(scene),
    stageOf: (gate, leftMs) =>
      stageOf(gate, leftMs, {
        ...{ scheduler, people, secondThoughts, holds, automations, deletions, wordless, mishaps },
        ...{ reloads, door, nemesis, quirks, absentees, closings, restOfFaults },
        chance: sceneChance,
        standsInFor: (giver) =>
          ABSENTEES.find((each) => surelyStandsIn(observer, each, giver, now())),
        askAgain: (each) => scenes.askAgain(each),
      }),
  });
  people.isOfScene = (gate) => scenes.has(gate);
  observer.onHeld = (gate, version) => {
    reloads.held(gate);
    absentees?.held(gate, version);
    if (scenes.has(gate)) {
      scenes.held(gate, (claimsOf(version).held?.until ?? now()) - now());
      return;
    }
    holds.held(gate, version);
    heldBack?.held(gate, version);
  };
  observer.onEnded = (gate) => mishaps.ended(gate);
  observer.onReviewable = (gate) =>
    scenes.has(gate) ? scenes.reviewable(gate) : holds.asksForReview(gate);
  observer.onSent = (gate) => {
    if (!scenes.has(gate)) secondThoughts.sent(gate);
  };
  observer.onTold = (gate, person, text) => {
    if (scenes.has(gate)) return scenes.told(gate, person, text);
    secondThoughts.told(gate, person);
    if ((gate.needs ?? []).length > 0 && crewChance.often(0.04)) crews.change(person);
  };
  const automations = new Automations({
    ...shared,
    chance: chance.branch('automations'),
    door,
    jobs,
    routes,
    askers,
  });
  const reports = new Reports({
    ...shared,
    chance: chance.branch('reports'),
    send: (...request) => automations.send(...request),
  });
  const operations = new Operations({ ...shared, chance: chance.branch('operations') });
  observer.operations = operations;
  const desk = new Desk({ ...shared, chance: chance.branch('desk'), operations });
  const deletions = new Deletions({
    ...shared,
    chance: chance.branch('deletions'),
    weather,
    door,
    people,
  });
  observer.onPosted = (gate) => {
    if (scenes.has(gate)) return scenes.posted(gate);
    people.see(gate);
    wordless.posted(gate);
    heldBack?.posted(gate);
    deletions.posted(gate);
  };
  people.onNewcomer = (gate) => mishaps.willBeBusy(gate);
  observer.onUnsure = (gate) => people.look(gate);
  const elsewhere = chance.branch('elsewhere');
  observer.onReopened = (gate) => {
    const before = people.seeAgain(gate);
    mishaps.reopened(gate);
    // A person who sees that the first decision had no effect decides there.
    const { action } = before ?? observer.lastPressOn(gate) ?? {};
    const wanted = action === 'check' ? undefined : action;
    if (elsewhere.often(before === undefined ? 0.2 : 0.9))
      scheduler.after(elsewhere.whole(8_000, 25_000), () =>
        automations.decideElsewhere(gate, wanted),
      );
  };
  observer.onGroupLimited = (restMs) => {
    people.groupLimited(restMs);
    crews.limited(restMs);
  };
  const absentees = options.absences
    ? new Absentees({
        ...shared,
        chance: absenceChance,
        loses: (person) => people.loses(person),
        becomesGuest: (person) => people.becomesGuest(person),
        leavesService: (person) => people.leavesService(person),
        decides: (person) => people.standsIn(person),
        isKept: (person) => scenes.keeps(person),
      })
    : null;
  const closings = options.closings
    ? new Closings({
        ...shared,
        chance: chance.branch('closings'),
        people,
        routes: [...new Set(routes)],
        isKept: (route) => scenes.keepsRoute(route),
        onClosed: () => nemesis?.closed(),
      })
    : null;
  const reachIn = (scene: Scene, number: number) => {
    const { route, wish } = askFor(scene);
    const gate = automations.reach(number, route, wish);
    people.opened(gate);
    return gate;
  };
  const play = (scene: Scene, number: number) =>
    scenes.begin(scene, () => scenes.opened(reachIn(scene, number), scene));
  let begun = 0;
  let last = options.approvals;
  // The last one comes early, and is no longer the last.
  const askAgain = (scene: Scene) => {
    if (begun >= last) return undefined;
    last -= 1;
    return reachIn({ ...scene, wish: { ...scene.wish, isWordless: false } }, last + 1);
  };
  const arrivals = chance.branch('arrivals');
  // Somebody has to be away for some time.
  const meanMs = options.absences || options.holds ? 2_000 : 1_200;
  let at = 2_000;
  let scenesOwed = 0;
  const crowds = chance.branch('crowds');
  const kinds = chance.branch('kinds of crowds');
  let crowd: Crowd | undefined;
  const reach = (number: number, route?: RouteOfWorld, wish: Wish = {}) => {
    const newer = kinds.often(0.08) ? { supersedes: `line ${kinds.whole(1, 2)}` } : {};
    const gate = automations.reach(number, route, { ...newer, ...wish });
    nemesis?.asking(gate.channel);
    people.opened(gate);
    reports.opened(gate);
    // If many are posted at a time, some wait for their slot in the channel, and the requester checks the status.
    if (route !== undefined)
      scheduler.after(crowds.whole(100, 4_000), () => automations.check(gate));
    if (arrivals.often(0.08))
      scheduler.after(arrivals.whole(0, 60_000), () => automations.decideElsewhere(gate));
    if (arrivals.often(0.04))
      scheduler.after(arrivals.whole(0, 60_000), () => automations.withdraw(gate));
    if (arrivals.often(0.05))
      scheduler.after(arrivals.whole(0, 60_000), () => automations.check(gate));
  };
  const owed = options.waits ? Math.floor(options.approvals * OWED) : 0;
  for (let number = 1; number <= options.approvals - owed; number += 1) {
    if (crowd?.left === 0) crowd = undefined;
    if (crowd === undefined && crowds.often(0.01)) crowd = { left: 8, route: crowds.pick(routes) };
    if (crowd === undefined && number % 12 === 0) crowd = specialCrowd(number);
    if (crowd !== undefined) crowd.left -= 1;
    if (number % 2 === 1) scenesOwed += 1;
    const isOfScene = crowd === undefined && scenesOwed > 0;
    if (isOfScene) scenesOwed -= 1;
    at += crowd === undefined ? arrivals.wait(0, meanMs, 10_000) : crowds.whole(0, 60);
    const { route, wish } = crowd ?? {};
    scheduler.after(at, () => {
      if (number > last) return;
      // Those of a moment begin in any order.
      begun = Math.max(begun, number);
      const scene = isOfScene ? scenes.draw() : undefined;
      if (scene === undefined) reach(number, route, wish);
      else play(scene, number);
    });
    if (arrivals.often(0.07)) scheduler.after(at, () => operations.createCase());
    if (arrivals.often(0.03)) scheduler.after(at, () => desk.move());
    if (arrivals.often(0.02)) scheduler.after(at, () => desk.lookAfterAccount());
    if (arrivals.often(0.06)) scheduler.after(at, () => desk.list());
    if (arrivals.often(0.1)) scheduler.after(at + arrivals.whole(0, 1_000), () => people.leave());
    if (arrivals.often(0.01)) scheduler.after(at, () => people.closeGroup());
    if (crewChance.often(0.05)) scheduler.after(at, () => crews.change());
  }
  const patientUntil = at + PATIENCE_MS;
  const reachOwed = (number: number): void => {
    if (number > last) {
      end();
      return;
    }
    begun = number;
    const scene = scenes.draw();
    if (scene === undefined && scenes.isOwed && scheduler.now < patientUntil) {
      scenes.waitForOwed();
      scheduler.after(OWED_MS, () => reachOwed(number));
      return;
    }
    if (scene === undefined) reach(number);
    else play(scene, number);
    scheduler.after(arrivals.wait(0, meanMs, 10_000), () => reachOwed(number + 1));
  };
  scheduler.after(at, () => {
    // Some scenes need her.
    if (owed > 0) people.confirmAddress();
    reachOwed(options.approvals - owed + 1);
  });
  const nemesis = options.faults
    ? new Nemesis({
        ...shared,
        chance: chance.branch('nemesis'),
        weather,
        replicas: () => replicas,
        startReplica,
        memory,
        service: sandbox.service,
        workspace: sandbox.workspace,
        receiver,
        server,
        rewinds: options.rewinds,
        archives: options.archives,
        quiet: options.quiet,
        hours: options.closings,
        onOpened: (channel) => automations.opened(channel),
      })
    : null;
  const quirks = options.faults ? new Quirks({ ...shared, chance: chance.branch('quirks') }) : null;
  people.onPress = () => nemesis?.pressed();
  observer.onEffect = () => nemesis?.decided();
  let endAt = Number.POSITIVE_INFINITY;
  const end = () => {
    endAt = scheduler.now + 60_000 + CERTAIN_MS;
    // Once nothing has gone wrong for so long that what belongs on the list is certain.
    scheduler.after(60_000 + CERTAIN_MS, () => desk.list(true));
    scheduler.after(60_000, () => {
      nemesis?.end();
      reloads.end();
      reports.end();
      quirks?.end();
      absentees?.end();
      closings?.end();
    });
  };

  const isAtRest = () => {
    if (scheduler.now <= Math.max(endAt, nemesis?.mendedAt ?? 0)) return false;
    if (scheduler.steps % 64 !== 0) return false;
    if (automations.underWay > 0 || people.underWay > 0 || reports.underWay > 0) return false;
    if (secondThoughts.underWay > 0 || holds.underWay > 0 || (absentees?.underWay ?? 0) > 0)
      return false;
    if ((closings?.underWay ?? 0) > 0) return false;
    if (operations.underWay > 0 || desk.isBusy) return false;
    if (observer.gates.length < options.approvals) return false;
    const nextAt = Math.min(nextDueIn('people'), nextDueIn('background'));
    return nextAt > memory.now() + LONGEST_MS;
  };
  await scheduler.run(() => isAtRest() || scheduler.now > LONGEST_MS);
  chronicle.note('world', scheduler.now > LONGEST_MS ? 'never came to rest' : 'is at rest');
  const audit: {
    at: number;
    action: string;
    record: string | null;
    actor: string;
    facts: Readonly<Record<string, string | number | boolean | null>>;
  }[] = [];
  for await (const entry of memory.openStore().readAudit({})) audit.push(entry);
  const evidence: Evidence = observer.evidence(audit, LIMITS);
  const violations = check(evidence);
  const hash = createHash('sha256').update(chronicle.trace());
  return {
    violations: violations.map((violation) => ({
      violation,
      told: [storyOf(evidence, violation), ...chronicle.of(violation.subject)].join('\n'),
    })),
    approvals: observer.gates.length,
    clicks: observer.presses.length,
    operations: operations.all.length,
    kills: nemesis?.kills ?? 0,
    faults: weather.faults + (nemesis?.faults ?? 0) + (quirks?.count ?? 0),
    steps: scheduler.steps,
    met: rulesMet(evidence),
    trace: hash.update(JSON.stringify(violations)).digest('hex'),
    ...(options.tellsAll === true && { lines: chronicle.all() }),
  };
}

/** The network and the store, with the planted bug in between. */
function plantedWith(name: string | undefined, memory: Memory) {
  if (name !== undefined && PLANTS[name] === undefined)
    throw new Error(`There is no plant ${name}`);
  const { near, far, connect }: Plant = name === undefined ? {} : (PLANTS[name]?.() ?? {});
  return {
    connect(replica: Replica, needs: NetworkNeeds): Connect {
      const plain = connectTo(replica, needs);
      return connect?.(plain, replica) ?? plain;
    },
    openStore(replica: Replica, needs: Omit<FarStoreNeeds, 'near'>): Store {
      const own = memory.openStore();
      const plain = farStore(replica, { ...needs, near: near?.(own, memory) ?? own });
      return far?.(plain, replica) ?? plain;
    },
  };
}

/** Several automations reach gates of one route at once. */
interface Crowd {
  left: number;
  readonly route: RouteOfWorld;
  readonly wish?: Wish;
}

/** Gates that replace each other, or whose description only the service has. */
function specialCrowd(number: number): Crowd {
  const [route] = ROUTES;
  return number % 24 === 0
    ? { left: 4, route, wish: { supersedes: `crowd ${number}` } }
    : { left: 5, route, wish: { isWordless: true } };
}

function makeChannels({ workspace }: Sandbox): void {
  for (const channel of CHANNELS) {
    if (channel === 'C0DEPLOYS' || channel === 'C0OUTCOMES') continue;
    workspace.createChannel(channel, EVERYBODY);
  }
}
