import { describe, expect, test, vi } from 'vitest';
import { APPROVAL_KIND, type Approval, placeOf } from '../../../../src/approvals/approval.ts';
import { listsOf } from '../../../../src/approvals/decision/lists-of.ts';
import {
  type Absence,
  type AbsenceSignal,
  absenceRecord,
  absencesCoveredBy,
  absencesNow,
  decodeAbsence,
  listsOfAbsence,
  receiveAbsence,
} from '../../../../src/approvals/electorate/absence.ts';
import { encodeApproval } from '../../../../src/approvals/stored-approval.ts';
import {
  createAbsenceFlow,
  routesOf,
} from '../../../../src/approvals/ways-in/absence/absence-flow.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { KNOWN_MS, type Listed, type Store, StoreError } from '../../../../src/core/store/store.ts';
import { openMemoryWorld } from '../../../core/store/memory-world.ts';
import { coreWith } from '../../../support/core-with.ts';
import { slackPerson } from '../../../support/slack-person.ts';
import { approvalWith, routeWith } from '../../approvals.ts';
import { listed } from './listed.ts';

const DAY = 86_400_000;
const ANA = slackPerson();
const BEN = slackPerson({ id: 'U0BEN' });

type Flow = ReturnType<typeof createAbsenceFlow>;

/** A store with open requests, and a core that starts nothing by itself. */
async function stageOf(
  requests = 0,
  narrowedTo: (at: number) => Approval['narrowedTo'] = () => undefined,
) {
  const world = await openMemoryWorld();
  const [store, other] = world.stores;
  for (let at = 0; at < requests; at += 1) {
    const narrowed = narrowedTo(at);
    const approval = approvalWith({
      title: `Deploy ${at}`,
      ...(narrowed !== undefined && { narrowedTo: narrowed }),
    });
    const record = {
      kind: APPROVAL_KIND,
      data: encodeApproval(approval),
      lane: 'background' as const,
      dueInMs: 3_600_000,
      place: placeOf(approval),
      lists: listsOf(approval),
    };
    await store.create(record, { hold: false });
  }
  let ids = 0;
  const core = coreWith({
    store,
    timing: TRUE_TIME,
    random: {
      uuid: () => `uuid-${++ids}`,
      fraction: () => 0,
      bytes: (n: number) => Buffer.alloc(n),
    },
    reconciler: { hasRoom: false, run: async () => {} },
    config: { routes: [routeWith()] },
  });
  return { world, store, other, core, flow: createAbsenceFlow(core) };
}

const absenceWith = (now: number, substitute?: readonly [string, ...string[]]): Absence => {
  const wish = {
    kind: 'set',
    by: 'U0ANA',
    until: now + DAY,
    ...(substitute && { substitute }),
  } as const;
  const { seen, ...absence } = decodeAbsence(absenceRecord(ANA, 'set', wish, now).data);
  return absence;
};

let signals = 0;
/** Without the note that it was received. */
const received = (flow: Flow, absence: Absence, body: AbsenceSignal, at: number) => {
  signals += 1;
  const signal = { id: `s${signals}`, at, body: JSON.stringify(body) };
  const { data, ...rest } = flow.receive(absence, signal, at);
  const { seen, ...known } = data;
  return { data: known, ...rest };
};

const planned = (flow: Flow, absence: Absence, at: number) => {
  const next = flow.plan(absence, at);
  if (next.kind !== 'step') throw new Error(`there is a step: ${JSON.stringify(next)}`);
  return next.step;
};

/** One step; returns the absence after it. */
async function stepped(flow: Flow, absence: Absence, at: number): Promise<Absence> {
  const step = planned(flow, absence, at);
  return flow.apply(absence, step, await flow.execute(absence, step, '0-away'), at).data;
}

/** The inboxes of all due requests, as another process finds them. */
async function inboxes(store: Store): Promise<readonly string[]> {
  const { held } = await store.claim('people', 1_000);
  return held.flatMap(({ inbox }) => inbox.map(({ id, body }) => `${id} ${body}`));
}

describe('open requests after an absence changed', () => {
  test('are notified page by page; after a crash, another process repeats the page that was not saved', async () => {
    const { world, store, other, flow } = await stageOf(120);
    const now = store.now();
    const first = absenceWith(now);
    const one = await stepped(flow, first, now);
    expect(one.told).toMatchObject({ routes: ['production'], after: expect.any(String) });
    // The first process died before it could save that: the same page again.
    const again = await stepped(flow, first, now);
    expect(again.told).toEqual(one.told);
    const two = await stepped(flow, again, now);
    const three = await stepped(flow, two, now);
    expect(three).toMatchObject({ until: now + DAY });
    expect(three).not.toHaveProperty('changedAt');
    expect(three).not.toHaveProperty('told');
    expect(flow.plan(three, now)).toEqual({ kind: 'wait', until: now + DAY, lane: 'people' });
    const found = await inboxes(other);
    expect(found).toHaveLength(120);
    expect(new Set(found)).toEqual(new Set([`absences.0-away.${now} {"kind":"absences"}`]));
    await world[Symbol.asyncDispose]();
  });

  test('are not notified if they ask neither the person nor anybody in whose place they are mentioned', async () => {
    const { world, store, other, flow } = await stageOf(4, (at) =>
      at % 2 === 0 ? { users: ['U0BEN'], groups: [] } : undefined,
    );
    const now = store.now();
    const told = await stepped(flow, absenceWith(now), now);
    expect(told).not.toHaveProperty('changedAt');
    expect(await inboxes(other)).toHaveLength(2);
    // A page that an earlier version began says nothing about that.
    const begun = { ...absenceWith(now + 9), told: { routes: ['production'] } };
    await stepped(flow, { ...begun, changedAt: now + 9 }, now + 9);
    const { held } = await store.claim('people', 1_000);
    expect(held).toHaveLength(2);
    await world[Symbol.asyncDispose]();
  });

  test('are all notified again when a new change arrives during a page', async () => {
    const { world, store, flow } = await stageOf(120);
    const now = store.now();
    const first = absenceWith(now);
    const step = planned(flow, first, now);
    const result = await flow.execute(first, step, '0-away');
    const back = received(flow, first, { kind: 'back', by: 'U0ANA' }, now + 5).data;
    // The page's result says nothing about a later change.
    const after = flow.apply(back, step, result, now + 6).data;
    expect(after).toEqual(back);
    expect(planned(flow, after, now + 6)).toEqual({ kind: 'tell-requests', changedAt: now + 5 });
    expect(after).not.toHaveProperty('told');
    await world[Symbol.asyncDispose]();
  });

  test('get a new change time even if both changes happen in the same millisecond', async () => {
    const { world, store, flow } = await stageOf();
    const now = store.now();
    const first = absenceWith(now);
    const set = { kind: 'set', by: 'U0ANA', until: now + 2 * DAY } as const;
    expect(received(flow, first, set, now).data.changedAt).toBe(now + 1);
    await world[Symbol.asyncDispose]();
  });

  test('are notified only after the absence itself has been saved', async () => {
    const { world, store, flow } = await stageOf();
    const now = store.now();
    const first = absenceWith(now);
    expect(flow.markAttempt(first, planned(flow, first, now), now)).toEqual({ data: first });
    await world[Symbol.asyncDispose]();
  });

  test('are notified later if the store cannot list them, or refuses a signal', async () => {
    const { world, store, core, flow } = await stageOf(3);
    const now = store.now();
    const first = absenceWith(now);
    const { list, signal } = store;
    core.store.list = () => Promise.reject(new StoreError('unavailable', 'away'));
    const away = await stepped(flow, first, now);
    expect(flow.plan(away, now)).toEqual({ kind: 'wait', until: now + 5_000, lane: 'people' });
    core.store.list = list.bind(store);
    let calls = 0;
    core.store.signal = (...args) => {
      calls += 1;
      if (calls === 2) throw new StoreError('unavailable', 'away');
      return signal.apply(store, args);
    };
    const missed = await stepped(flow, away, now + 5_000);
    expect(calls).toBe(3);
    expect(flow.plan(missed, now + 5_000)).toMatchObject({ kind: 'wait', until: now + 10_000 });
    const all = await stepped(flow, missed, now + 10_000);
    expect(all).not.toHaveProperty('changedAt');
    await world[Symbol.asyncDispose]();
  });

  test('are those on routes that name the person, a group or a channel', () => {
    const named = (reviewers: object, more: object = {}) =>
      routeWith({ reviewers: { users: [], groups: [], channel: false, ...reviewers }, ...more });
    const routes = [
      { ...named({ users: ['U0ANA'] }), name: 'user' },
      { ...named({ groups: ['S0SRE'] }), name: 'group' },
      { ...named({ channel: true }), name: 'channel' },
      { ...named({ users: ['U0BEN'] }), name: 'other' },
      {
        ...named({ users: ['U0BEN'] }, { quiet: { users: ['U0ANA'], groups: [] } }),
        name: 'quiet',
      },
      {
        ...named(
          { users: ['U0BEN'] },
          { escalate: [{ after: 1, to: { users: ['W0ANA'], groups: [] } }] },
        ),
        name: 'escalated',
      },
    ];
    expect(routesOf(routes, ['W0ANA', 'U0ANA'])).toEqual([
      'user',
      'group',
      'channel',
      'quiet',
      'escalated',
    ]);
  });
});

test('a substitute gets a direct message after the requests, which is removed once it is posted', async () => {
  const { world, store, flow } = await stageOf();
  const now = store.now();
  const told = await stepped(flow, absenceWith(now, ['U0BEN']), now);
  const open = planned(flow, told, now);
  expect(open).toMatchObject({ kind: 'open', name: `named-${now}-1` });
  const { data } = flow.apply(told, open, { kind: 'opened', channel: 'D0BEN' }, now);
  const slot = planned(flow, data, now);
  const ready = flow.apply(data, slot, { kind: 'slot', waitMs: 0 }, now).data;
  const post = planned(flow, ready, now);
  const begun = flow.markAttempt(ready, post, now);
  if (begun === undefined) throw new Error('its attempt is noted');
  expect(begun.durable).toBe(true);
  const posted = { kind: 'posted', channel: 'D0BEN', ts: '1.0' } as const;
  const after = flow.apply(begun.data, post, posted, now).data;
  expect(after).toMatchObject({ notices: [], substitute: { isTold: true } });
  await world[Symbol.asyncDispose]();
});

describe('who is away', () => {
  test('is read once for all who ask while it is being read, and never before they asked', async () => {
    const answers: (() => void)[] = [];
    const store = {
      now: () => 0,
      list: () => new Promise<Listed>((resolve) => answers.push(() => resolve(listed([])))),
    };
    const ends: string[] = [];
    const ask = (name: string) => absencesNow(store).then(() => ends.push(name));
    const all = [ask('first'), ask('second'), ask('third')];
    expect(answers).toHaveLength(1);
    answers[0]?.();
    await all[0];
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    // This one came after the second read began.
    all.push(ask('fourth'));
    answers[1]?.();
    await Promise.all(all.slice(0, 3));
    expect(ends).toEqual(['first', 'second', 'third']);
    await vi.waitFor(() => expect(answers).toHaveLength(3));
    answers[2]?.();
    await Promise.all(all);
  });

  test('is read again after a failure', async () => {
    let reads = 0;
    const store = {
      now: () => 0,
      list: async () => {
        reads += 1;
        if (reads < 3) throw new StoreError('unavailable', 'away');
        return listed([]);
      },
    };
    const [one, other] = [absencesNow(store), absencesNow(store)];
    await expect(one).rejects.toThrow('away');
    await expect(other).rejects.toThrow('away');
    expect(await absencesNow(store)).toEqual([]);
  });

  test('is read to the end, however many they are', async () => {
    const { world, store } = await stageOf();
    const now = store.now();
    const due = { lane: 'background', dueInMs: DAY, place: null } as const;
    for (let at = 0; at < 1_201; at += 1) {
      const wish = { kind: 'set', by: `U${at}`, until: now + DAY } as const;
      const person = slackPerson({ id: `U${at}` });
      await store.create({ ...absenceRecord(person, 'set', wish, now), ...due }, { hold: false });
    }
    expect(await absencesNow(store)).toHaveLength(1_201);
    await world[Symbol.asyncDispose]();
  });
});

describe('the end of an absence', () => {
  test('comes at its time: the absence leaves all lists, open requests are notified, the record is deleted', async () => {
    const { world, store, other, flow } = await stageOf(1);
    const now = store.now();
    const { changedAt: _, notices: __, ...rest } = absenceWith(now, ['U0BEN']);
    const quiet: Absence = { ...rest, notices: [] };
    const end = now + DAY;
    expect(planned(flow, quiet, end)).toEqual({ kind: 'end-absence' });
    const ended = await stepped(flow, quiet, end);
    expect(listsOfAbsence(ended)).toEqual([]);
    expect(planned(flow, ended, end)).toEqual({ kind: 'tell-requests', changedAt: end });
    const told = await stepped(flow, ended, end);
    expect(await inboxes(other)).toHaveLength(1);
    expect(flow.plan(told, end)).toEqual({ kind: 'finish', keepMs: KNOWN_MS });
    // A person who sets themselves away again just then is away again.
    const set = { kind: 'set', by: 'U0ANA', until: end + DAY } as const;
    const revived = received(flow, told, set, end + 1).data;
    expect(revived).toMatchObject({ since: end + 1, until: end + DAY, changedAt: end + 1 });
    expect(listsOfAbsence(revived)).toEqual(['away']);
    await world[Symbol.asyncDispose]();
  });

  test('comes when the person presses Back, and a second Back changes nothing', async () => {
    const { world, store, flow } = await stageOf();
    const now = store.now();
    const first = absenceWith(now, ['U0BEN']);
    const back = received(flow, first, { kind: 'back', by: 'U0ANA' }, now + 5);
    expect(back.audit).toEqual([
      { action: 'approvals.back', record: null, actor: 'U0ANA', facts: {} },
    ]);
    expect(listsOfAbsence(back.data)).toEqual([]);
    // Nobody was told that it began, so nobody is told that it ended.
    expect(back.data.notices).toEqual([]);
    expect(received(flow, back.data, { kind: 'back', by: 'U0ANA' }, now + 6)).toEqual({
      data: back.data,
    });
    await world[Symbol.asyncDispose]();
  });
});

// Over HTTP its time says so, too.
test('the command that began an absence in Socket Mode changes nothing if it is delivered again after the end', () => {
  const now = 1_000_000;
  const wish = { kind: 'set', by: 'U0ANA', until: now + DAY } as const;
  const begun = decodeAbsence(absenceRecord(ANA, 'set', wish, now).data);
  const back = { kind: 'back', by: 'U0ANA' } as const;
  const { data: ended } = receiveAbsence(begun, { id: 'back', at: now + 1 }, back);
  expect(receiveAbsence(ended, { id: 'set', at: now + 2 }, wish)).toEqual({ data: ended });
});

// The store went back in between, and with it the count: what the first one posted says another time.
test('two commands after the same state of an absence do not take the post of the other for their own', () => {
  const now = 1_000_000;
  const { substitute, ...alone } = absenceWith(now);
  const named = (at: number) => {
    const wish = { kind: 'set', by: 'U0ANA', until: now + DAY, substitute: ['U0BEN'] } as const;
    return receiveAbsence(alone, { id: 's', at }, wish).data.notices.map(({ post }) => post.name);
  };
  expect(named(now + 1)).toHaveLength(1);
  expect(named(now + 2)).not.toEqual(named(now + 1));
  expect(named(now + 1), 'the same command').toEqual(named(now + 1));
});

describe('a command that is older than another one of its person', () => {
  const at = (ms: number, isWhole?: true) => ({ ms, ...(isWhole && { isWhole }) });
  const back = { kind: 'back', by: 'U0ANA' } as const;

  test('changes nothing, also for an hour after the end', async () => {
    const { world, store, flow } = await stageOf();
    const now = store.now();
    const set = { kind: 'set', by: 'U0ANA', until: now + DAY } as const;
    const wish = { ...set, acted: at(5_000, true) };
    const { seen, ...first } = decodeAbsence(absenceRecord(ANA, 'set', wish, now).data);
    expect(received(flow, first, { ...back, acted: at(4_999) }, now)).toEqual({ data: first });
    const { changedAt: _, ...ended } = received(
      flow,
      first,
      { ...back, acted: at(7_100) },
      now,
    ).data;
    const earlier = { ...set, substitute: ['U0BEN'], acted: at(6_000, true) } as const;
    expect(received(flow, ended, earlier, now + 1)).toEqual({ data: ended });
    const until = now + 3_600_000;
    expect(flow.plan(ended, now + 1)).toEqual({ kind: 'wait', until, lane: 'people' });
    expect(flow.plan(ended, until)).toEqual({ kind: 'finish', keepMs: KNOWN_MS });
    // In the same second, or where no time is known, they count as they arrive.
    for (const acted of [{ acted: at(7_000, true) }, {}]) {
      const again = received(flow, ended, { ...set, ...acted }, now + 1).data;
      expect(again.endedAt).toBeUndefined();
      expect(again.acts).toEqual(ended.acts);
    }
    await world[Symbol.asyncDispose]();
  });

  test('counts if somebody else acted since', async () => {
    const { world, store, flow } = await stageOf();
    const now = store.now();
    const first = absenceWith(now, ['U0BEN']);
    const decline = { kind: 'decline', by: 'U0BEN', ids: ['U0BEN'], acted: at(9_000) } as const;
    const declined = received(flow, first, decline, now).data;
    expect(received(flow, declined, { ...back, acted: at(8_000) }, now).data.endedAt).toBe(now);
    await world[Symbol.asyncDispose]();
  });
});

describe('a substitute', () => {
  const told = (absence: Absence): Absence => ({
    ...absence,
    notices: [],
    ...(absence.substitute && { substitute: { ...absence.substitute, isTold: true } }),
  });
  const kinds = ({ notices }: Absence) => notices.map(({ kind, to }) => `${kind} ${to}`);

  test('is notified when named, when the end changes, and when replaced', async () => {
    const { world, store, flow } = await stageOf();
    const now = store.now();
    const first = absenceWith(now, ['U0BEN']);
    expect(kinds(first)).toEqual(['named U0BEN']);
    const set = { kind: 'set', by: 'U0ANA', until: now + DAY } as const;
    const other = { ...set, substitute: ['U0CLEO'] } as const;
    expect(received(flow, first, set, now)).toEqual({ data: first });
    const later = { ...set, until: now + 2 * DAY };
    expect(kinds(received(flow, told(first), later, now).data)).toEqual(['named U0BEN']);
    // Not told yet: only the new end is sent.
    expect(kinds(received(flow, first, later, now).data)).toEqual(['named U0BEN']);
    const replaced = received(flow, told(first), other, now);
    expect(kinds(replaced.data)).toEqual(['replaced U0BEN', 'named U0CLEO']);
    expect(replaced.audit).toMatchObject([
      { action: 'approvals.away', actor: 'U0ANA', facts: { substitute: 'U0CLEO' } },
    ]);
    expect(kinds(received(flow, first, other, now).data)).toEqual(['named U0CLEO']);
    const [notice] = first.notices;
    if (notice === undefined) throw new Error('there is one');
    const attempt = { id: 'a', mustEndBy: now, at: now } as never;
    const tried = { ...first, notices: [{ ...notice, post: { ...notice.post, attempt } }] };
    expect(kinds(received(flow, tried, other, now).data)).toEqual([
      'replaced U0BEN',
      'named U0CLEO',
    ]);
    await world[Symbol.asyncDispose]();
  });

  test('can decline once, and only for themselves; naming them again asks them again', async () => {
    const { world, store, flow } = await stageOf();
    const now = store.now();
    const first = told(absenceWith(now, ['W0BEN', 'U0BEN']));
    const decline = { kind: 'decline', by: 'U0BEN', ids: ['U0BEN'] } as const;
    const declined = received(flow, first, decline, now + 5);
    expect(kinds(declined.data)).toEqual(['declined U0ANA']);
    expect(declined.audit).toMatchObject([
      { action: 'approvals.substitute-declined', actor: 'U0BEN', facts: { of: 'U0ANA' } },
    ]);
    expect(listsOfAbsence(declined.data)).toEqual(['away']);
    expect(received(flow, declined.data, decline, now + 6)).toEqual({ data: declined.data });
    const strange = { kind: 'decline', by: 'U0CLEO', ids: ['U0CLEO'] } as const;
    expect(received(flow, first, strange, now)).toEqual({ data: first });
    expect(received(flow, first, decline, now + DAY)).toEqual({ data: first });
    const set = { kind: 'set', by: 'U0ANA', until: now + DAY } as const;
    expect(received(flow, declined.data, set, now + 7)).toEqual({ data: declined.data });
    const named = received(
      flow,
      declined.data,
      { ...set, substitute: ['W0BEN', 'U0BEN'] },
      now + 7,
    );
    expect(kinds(named.data)).toEqual(['named U0BEN']);
    expect(listsOfAbsence(named.data)).toEqual(['away', 'stands-in:W0BEN', 'stands-in:U0BEN']);
    await world[Symbol.asyncDispose]();
  });

  test('who goes away is reported once for each end to the people they stand in for', async () => {
    const { world, store, flow, other } = await stageOf();
    const now = store.now();
    const wish = { kind: 'set', by: 'U0ANA', until: now + DAY, substitute: ['U0BEN'] } as const;
    const due = { lane: 'background', dueInMs: DAY, place: null } as const;
    await store.create({ ...absenceRecord(ANA, 'set', wish, now), ...due }, { hold: false });
    expect(await absencesCoveredBy(store, BEN)).toHaveLength(1);
    const own = { kind: 'set', by: 'U0BEN', until: now + 2 * DAY } as const;
    const bens = decodeAbsence(absenceRecord(BEN, 'set', own, now).data);
    await stepped(flow, bens, now);
    const [found] = await inboxes(other);
    expect(found).toMatch(/^away\.0-away\.\d+ \{"kind":"substitute-away","ids":\["U0BEN"\]/);
    const signal = { kind: 'substitute-away', ids: ['U0BEN'], until: own.until } as const;
    const first = told(absenceWith(now, ['U0BEN']));
    const once = received(flow, first, signal, now).data;
    expect(kinds(once)).toEqual(['away U0ANA']);
    expect(received(flow, once, signal, now + 1)).toEqual({ data: once });
    expect(await absencesNow(store)).toHaveLength(1);
    await world[Symbol.asyncDispose]();
  });

  test('who goes away or is back changes the requests that mention them in another place', async () => {
    const { world, store, flow, core, other } = await stageOf(1);
    const reviewers = { users: ['U0ANA'], groups: [], channel: false };
    Object.assign(core.config, { routes: [routeWith({ reviewers })] });
    const now = store.now();
    const own = { kind: 'set', by: 'U0BEN', until: now + 2 * DAY } as const;
    const bens = decodeAbsence(absenceRecord(BEN, 'set', own, now).data);
    const quiet = await stepped(flow, bens, now);
    expect(await inboxes(other)).toEqual([]);
    const wish = { kind: 'set', by: 'U0ANA', until: now + DAY, substitute: ['U0BEN'] } as const;
    const due = { lane: 'background', dueInMs: DAY, place: null } as const;
    await store.create({ ...absenceRecord(ANA, 'set', wish, now), ...due }, { hold: false });
    const back = received(flow, quiet, { kind: 'back', by: 'U0BEN' }, now + 1).data;
    const over = await stepped(flow, quiet, own.until);
    for (const each of [bens, back, over]) await stepped(flow, each, now + 1);
    const requests = [now, now + 1, own.until].map(
      (at) => `absences.0-away.${at} {"kind":"absences"}`,
    );
    expect(await inboxes(other)).toEqual(expect.arrayContaining(requests));
    await world[Symbol.asyncDispose]();
  });
});

test('a direct message that the store may have lost is searched for; a posted one is removed from the record', async () => {
  const { world, store, core, flow } = await stageOf();
  const now = store.now();
  const { changedAt: _, ...absence } = absenceWith(now, ['U0BEN']);
  const [notice] = absence.notices;
  if (notice === undefined) throw new Error('there is one');
  const opened = {
    ...absence,
    notices: [{ ...notice, post: { name: 'named-1', channel: 'D0BEN' } }],
  };
  core.store.servingSince = () => now;
  core.store.wentBackAt = () => 0;
  const slot = planned(flow, opened, now);
  expect(slot).toEqual({ kind: 'slot', plannedAt: now, name: 'named-1' });
  core.store.servingSince = () => now + 1;
  expect(planned(flow, opened, now + 1)).toMatchObject({ kind: 'find' });
  const found = { kind: 'posted', channel: 'D0BEN', ts: '1.2' } as const;
  const find = { kind: 'find', plannedAt: now + 1, name: 'named-1' } as const;
  const known = flow.apply(opened, find, found, now + 1).data;
  expect(known).toMatchObject({ notices: [], substitute: { isTold: true } });
  // A late result of a cancelled step changes nothing.
  expect(flow.apply(known, find, found, now + 2).data).toEqual(known);
  await world[Symbol.asyncDispose]();
});
