import { describe, expect, test } from 'vitest';
import { APPROVAL_KIND, type Approval, placeOf } from '../../../../src/approvals/approval.ts';
import { digestOf } from '../../../../src/approvals/digest.ts';
import { encodeApproval } from '../../../../src/approvals/stored-approval.ts';
import { pressEnd } from '../../../../src/approvals/ways-in/list/press-end.ts';
import {
  createSeveralFlow,
  type Several,
  severalMessage,
  severalModal,
  severalRecord,
} from '../../../../src/approvals/ways-in/list/several-flow.ts';
import type { Core } from '../../../../src/core/core.ts';
import { RemoteFailure } from '../../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { StoreError } from '../../../../src/core/store/store.ts';
import { openMemoryWorld } from '../../../core/store/memory-world.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { messageSchema } from '../../../support/slack-limits.ts';
import { textsOf } from '../../../support/world.ts';
import { approvalWith, NOW } from '../../approvals.ts';

const wish = { user: 'U0ANA', action: 'approve', view: 'V1' } as const;

async function stageOf(titles: readonly string[], more: Partial<Approval> = {}) {
  const world = await openMemoryWorld();
  const [store, other] = world.stores;
  const rows = [];
  for (const title of titles) {
    const approval = approvalWith({ title, ...more });
    const record = {
      kind: APPROVAL_KIND,
      data: encodeApproval(approval),
      lane: 'background' as const,
      dueInMs: 3_600_000,
      place: placeOf(approval),
    };
    const created = await store.create(record, { hold: false });
    const id = created.kind === 'created' ? created.id : '';
    rows.push({ id, channel: 'C0PROD', digest: digestOf(approval), title });
  }
  const core = coreWith({
    store,
    timing: TRUE_TIME,
    timers: systemTimers,
    reconciler: { hasRoom: false, run: async () => {} },
  });
  const several = severalRecord(wish, rows, NOW);
  return { world, other, core, flow: createSeveralFlow(core), several };
}

function row({ rows }: Several, at: number): Several['rows'][number] {
  const found = rows[at];
  if (found === undefined) throw new Error('there is no such row');
  return found;
}

const planned = (flow: ReturnType<typeof createSeveralFlow>, several: Several, at: number) => {
  const next = flow.plan(several, at);
  if (next.kind !== 'step') throw new Error(`there is a step: ${JSON.stringify(next)}`);
  return next.step;
};

/** Carries it out to its end, as the loop does: what the modal and the direct message said. */
async function carriedOut({ core, flow, several }: Awaited<ReturnType<typeof stageOf>>) {
  const modals: string[][] = [];
  const messages: { readonly channel: string; readonly text: string; readonly texts: string[] }[] =
    [];
  Object.assign(core, {
    modals: fake<Core['modals']>({
      update: async (modal, view) => {
        modals.push([modal.id, ...textsOf(view.blocks)]);
        return modal;
      },
    }),
    outbox: fake<Core['outbox']>({
      openDirectMessage: async (user) => `D-${user}`,
      findByMetadata: async () => undefined,
      post: async ({ channel, text, blocks }) => {
        messages.push({ channel, text, texts: textsOf(blocks) });
        return { channel, ts: '17.1' };
      },
    }),
    queue: fake<Core['queue']>({ taken() {} }),
  });
  let data = several;
  let now = NOW;
  for (let steps = 0; steps < 100; steps += 1) {
    const next = flow.plan(data, now);
    if (next.kind === 'finish') return { modals, messages };
    if (next.kind === 'wait') now = next.until;
    if (next.kind !== 'step') continue;
    data = flow.markAttempt(data, next.step, now)?.data ?? data;
    const result = await flow.execute(data, next.step, '0-several');
    data = flow.decode(flow.encode(flow.apply(data, next.step, result, now).data), null);
  }
  throw new Error('it does not end');
}

describe('a selection of several decisions', () => {
  test('is carried out to its end: every result is shown, and sent once', async () => {
    const outcome = {
      status: 'REJECTED',
      credit: 'certain',
      by: ['U0BEN'],
      learnedAt: NOW,
    } as const;
    const stage = await stageOf(['Deploy 1'], { outcome });
    const first = row(stage.several, 0);
    const rows = [
      { ...first, title: 'Deploy…' },
      { ...first, id: '0-gone', title: 'Gone' },
    ];
    const several = { ...stage.several, rows };
    const { modals, messages } = await carriedOut({ ...stage, several });
    const ends = [
      expect.stringMatching(/^\*Deploy 1\* · `.{9}`\n:x: \*Rejected by <@U0BEN>\*$/),
      expect.stringMatching(
        /^\*Gone\* · `.{9}`\n:grey_question: No longer stored\. Not counted\.$/,
      ),
    ];
    const done = "All done. You'll also get the results as a direct message.";
    expect(modals).toEqual([['V1', done, ...ends]]);
    const text = 'Results of your 2 decisions';
    expect(messages).toEqual([{ channel: 'D-U0ANA', text, texts: [text, ...ends] }]);
    const one = { ...several, rows: rows.slice(0, 1) };
    expect(severalMessage(one).text).toBe('Result of your decision');
    await stage.world[Symbol.asyncDispose]();
  });

  test('whose record is gone promises no direct message any more', async () => {
    const { world, core, flow, several: asked } = await stageOf(['Deploy 1', 'Deploy 2']);
    const several = {
      ...asked,
      rows: [{ ...row(asked, 0), isCast: true as const }, row(asked, 1)],
    };
    const said: string[][] = [];
    let isThere = true;
    const modals = fake<Core['modals']>({
      async update(modal, view) {
        said.push([modal.id, ...textsOf(view.blocks)]);
        if (!isThere) throw new RemoteFailure('modal', { class: 'refused', code: 'not_found' });
        return modal;
      },
    });
    Object.assign(core, { modals });
    for (isThere of [true, false]) await flow.lastWord?.(several, several, '0-several', NOW).show();
    const what = 'Gatepost lost its record of this. See each message for its result.';
    const ends = [
      expect.stringMatching(/^\*Deploy 1\* · `.{9}`\n:hourglass: No result yet\./),
      expect.stringMatching(/^\*Deploy 2\* · `.{9}`\n:grey_question: It is not known whether /),
    ];
    expect(said).toEqual(Array(2).fill(['V1', what, ...ends]));
    await world[Symbol.asyncDispose]();
  });

  test('casts the reason and the time of the press with each decision', async () => {
    const { world, other, flow, several } = await stageOf(['Deploy 1']);
    const given = {
      ...several,
      reason: 'sealed',
      acted: { ms: NOW - 1_000, isWhole: true } as const,
    };
    await flow.execute(given, planned(flow, given, NOW), '0-several');
    const [held] = (await other.claim('people', 10)).held;
    expect(JSON.parse(held?.inbox[0]?.body ?? '')).toMatchObject({
      ...{ reason: 'sealed', acted: { ms: NOW - 1_000, isWhole: true } },
    });
    await world[Symbol.asyncDispose]();
  });

  test('casts no decision again that its request has received', async () => {
    const { world, other, flow, several } = await stageOf(['Deploy 1']);
    const step = planned(flow, several, NOW);
    await flow.execute(several, step, '0-several');
    const [held] = (await other.claim('people', 10)).held;
    if (held === undefined) throw new Error('it was cast');
    const handled = held.inbox.map(({ id }) => id);
    const next = { kind: 'release', lane: 'people', dueAt: NOW * 2 } as const;
    await other.save(held.lease, { data: null, handled, place: null, audit: [], next });
    await flow.execute(several, step, '0-several');
    expect((await other.claim('people', 10)).held).toEqual([]);
    await world[Symbol.asyncDispose]();
  });

  test('is not cast after ten minutes: the store would not recognize a repeat', async () => {
    const { world, other, flow, several } = await stageOf(['Deploy 1']);
    const late = NOW + 10 * 60_000;
    const step = planned(flow, several, late);
    const { data } = flow.apply(
      several,
      step,
      await flow.execute(several, step, '0-several'),
      late,
    );
    expect((await other.claim('people', 10)).held).toEqual([]);
    expect(data.rows).toMatchObject([
      {
        end: ':grey_question: It is not known whether your decision was recorded. See its message.',
      },
    ]);
    await world[Symbol.asyncDispose]();
  });

  test('waits for results from when all are cast, and reads them each second', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1', 'Deploy 2']);
    const ids = several.rows.map(({ id }) => id);
    const found = (...cast: readonly (string | undefined)[]) => ({
      kind: 'found' as const,
      rows: Object.fromEntries(cast.map((id) => [id, { isCast: true as const }])),
    });
    const look = planned(flow, several, NOW);
    const half = flow.apply(several, look, found(ids[0]), NOW).data;
    expect(half.until).toBeUndefined();
    const all = flow.apply(half, look, found(...ids), NOW + 1_000).data;
    expect(all.until).toBe(NOW + 46_000);
    expect(flow.plan(all, NOW + 1_000)).toMatchObject({ kind: 'wait', until: NOW + 2_000 });
    const shown = flow.apply(
      all,
      { kind: 'show-several', shown: '' },
      { kind: 'shown' },
      NOW + 2_000,
    );
    expect(flow.plan(shown.data, NOW + 2_000)).toMatchObject({ kind: 'wait', until: NOW + 3_000 });
    const last = { ...all, lookedAt: NOW + 46_000 };
    expect(planned(flow, last, NOW + 47_000)).toMatchObject({ kind: 'open', name: 'several' });
    // Another process goes on with a step that took too long; nothing else concerns the record.
    expect(flow.isTooLate?.(look)).toBe(true);
    expect(flow.receive(all, { id: 's', at: NOW, body: '' }, NOW)).toEqual({ data: all });
    const texts = textsOf(
      severalModal({ ...all, rows: [{ ...row(all, 0), end: 'x' }, row(all, 1)] }).blocks,
    );
    expect(texts[0]).toMatch(/^1 of 2 results so far\./);
    await world[Symbol.asyncDispose]();
  });

  test('is sent although its modal could not be updated five times', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1']);
    const end = { isCast: true, end: ':x: *Rejected*', isFinal: true } as const;
    let data: Several = { ...several, rows: several.rows.map((each) => ({ ...each, ...end })) };
    const failed = { kind: 'failed', failure: { class: 'ambiguous', code: 'timeout' } } as const;
    for (let tries = 0; tries < 5; tries += 1) {
      const now = NOW + tries * 1_000;
      const show = planned(flow, data, now);
      expect(show).toMatchObject({ kind: 'show-several' });
      data = flow.apply(data, show, failed, now).data;
    }
    expect(planned(flow, data, NOW + 5_000)).toMatchObject({ kind: 'open' });
    await world[Symbol.asyncDispose]();
  });

  test('casts each once, even if another process repeats it after a crash', async () => {
    const { world, other, flow, several } = await stageOf(['Deploy 1', 'Deploy 2']);
    const step = planned(flow, several, NOW);
    expect(step).toEqual({ kind: 'look-at-several', plannedAt: NOW });
    await flow.execute(several, step, '0-several');
    // The first one died before it could save that.
    const result = await flow.execute(several, step, '0-several');
    const { held } = await other.claim('people', 10);
    expect(held.map(({ inbox }) => inbox.length)).toEqual([1, 1]);
    const bodies = held.flatMap(({ inbox }) => inbox.map(({ body }) => JSON.parse(body)));
    const asker = { user: 'U0ANA', direct: true };
    for (const body of bodies)
      expect(body).toMatchObject({ kind: 'ballot', action: 'approve', asker });
    const digests = several.rows.map(({ digest }) => digest);
    expect(bodies.map(({ digest }) => digest).toSorted()).toEqual(digests.toSorted());
    const { data } = flow.apply(several, step, result, NOW);
    expect(flow.plan(data, NOW)).toMatchObject({ kind: 'wait' });
    await world[Symbol.asyncDispose]();
  });

  test('is read until every decision has its result, then shown and sent in one message', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1']);
    const [row] = several.rows;
    if (row === undefined) throw new Error('there is one');
    const isCast = true as const;
    const until = NOW + 45_000;
    const cast = { ...several, until, rows: [{ ...row, isCast }] };
    expect(planned(flow, cast, NOW + 2_000)).toMatchObject({ kind: 'look-at-several' });
    const end = ':x: *Rejected*';
    const ended = { ...cast, rows: [{ ...row, isCast, end, isFinal: true as const }] };
    const show = planned(flow, ended, NOW + 2_000);
    expect(show).toEqual({ kind: 'show-several', shown: end });
    const shown = flow.apply(ended, show, { kind: 'shown' }, NOW + 2_000).data;
    expect(planned(flow, shown, NOW + 2_000)).toMatchObject({ kind: 'open' });
    const closed = { kind: 'failed', failure: { class: 'refused', code: 'not_found' } } as const;
    const unseen = flow.apply(ended, show, closed, NOW + 2_000).data;
    expect(planned(flow, unseen, NOW + 2_000)).toMatchObject({ kind: 'open' });
    await world[Symbol.asyncDispose]();
  });

  test('is read one last time when its time is over, and then reported as still open', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1']);
    const step = planned(flow, several, NOW + 120_000);
    const result = await flow.execute(several, step, '0-several');
    const { data } = flow.apply(several, step, result, NOW + 120_000);
    // They were cast late, and are read nevertheless.
    const look = planned(flow, data, NOW + 180_000);
    expect(look).toMatchObject({ kind: 'look-at-several' });
    const looked = await flow.execute(data, look, '0-several');
    const over = flow.apply(data, look, looked, NOW + 180_000).data;
    expect(planned(flow, over, NOW + 180_000)).toMatchObject({ kind: 'open' });
    const [line, row] = textsOf(severalModal(over).blocks);
    expect(line).toBe("0 of 1 results so far. You'll also get the results as a direct message.");
    expect(row).toMatch(/^\*Deploy 1\* · `.*`\n:hourglass: No result yet\. See its message\.$/);
    await world[Symbol.asyncDispose]();
  });

  test('is cast again for decisions that the store refused, but not forever', async () => {
    const { world, flow, several, core } = await stageOf(['Deploy 1', 'Deploy 2']);
    const [, away] = several.rows;
    const real = core.store.signal;
    let isAway = true;
    core.store.signal = (id, ...rest) => {
      if (isAway && id === away?.id) throw new StoreError('unavailable', 'away');
      return real.call(core.store, id, ...rest);
    };
    const step = planned(flow, several, NOW);
    const { data } = flow.apply(several, step, await flow.execute(several, step, '0-several'), NOW);
    expect(data.rows.map(({ isCast }) => isCast)).toEqual([true, undefined]);
    const late = NOW + 11 * 60_000;
    const look = planned(flow, data, late);
    const given = flow.apply(data, look, await flow.execute(data, look, '0-several'), late).data;
    expect(given.rows[1]?.end).toMatch(/not known whether your decision was recorded/);
    expect(flow.plan(given, late)).toMatchObject({ kind: 'step', step: { kind: 'show-several' } });
    isAway = false;
    const again = planned(flow, data, NOW + 6_000);
    const cast = await flow.execute(data, again, '0-several');
    const all = flow.apply(data, again, cast, NOW + 6_000).data;
    expect(all.rows.map(({ isCast }) => isCast)).toEqual([true, true]);
    await world[Symbol.asyncDispose]();
  });

  test('does not take the end of an earlier press for its own, which the request may not have received', async () => {
    const taken = { kind: 'taken-back', by: 'U0ANA', after: 0 } as const;
    const { world, flow, several } = await stageOf(['Deploy 1'], {
      createdAt: NOW,
      history: { events: [taken] },
    });
    const step = planned(flow, several, NOW);
    const found = await flow.execute(several, step, '0-several');
    const { data } = flow.apply(several, step, found, NOW);
    expect(data.rows).toMatchObject([{ isCast: true }]);
    expect(data.rows[0]).not.toHaveProperty('end');
    await world[Symbol.asyncDispose]();
  });

  test('is cast again while Slack does not accept the results', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1', 'Deploy 2']);
    const [first, second] = several.rows;
    if (first === undefined || second === undefined) throw new Error('there are two');
    const known = { ...first, isCast: true, end: ':x: *Rejected*', isFinal: true } as const;
    const half = { ...several, lookedAt: NOW, rows: [known, second] };
    const show = planned(flow, half, NOW);
    expect(show).toMatchObject({ kind: 'show-several' });
    const failure = { class: 'refused', code: 'ratelimited', status: 429, retryAfterMs: 60_000 };
    const limited = JSON.parse(JSON.stringify({ kind: 'failed', failure }));
    const { data } = flow.apply(half, show, limited, NOW);
    const look = planned(flow, data, NOW);
    expect(look).toMatchObject({ kind: 'look-at-several' });
    const cast = flow.apply(data, look, await flow.execute(data, look, '0-several'), NOW).data;
    expect(cast.rows[1]).toMatchObject({ isCast: true });
    // All are known: only the modal is left.
    const over = { ...cast, rows: cast.rows.map((row) => ({ ...row, isFinal: true as const })) };
    expect(flow.plan(over, NOW + 2_000)).toMatchObject({ kind: 'wait', until: NOW + 60_000 });
    expect(planned(flow, over, NOW + 60_000)).toMatchObject({ kind: 'show-several' });
    await world[Symbol.asyncDispose]();
  });

  // Found by the simulation: the person who pressed too late got no reply.
  test('is cast even for requests that have ended', async () => {
    const { world, other, flow, several } = await stageOf(['Deploy 1']);
    const end = { end: ':alarm_clock: *Timed out*', isFinal: true } as const;
    const rows = several.rows.map((row) => ({ ...row, ...end }));
    const ended = { ...several, rows, shown: end.end };
    const result = await flow.execute(ended, planned(flow, ended, NOW), '0-several');
    expect((await other.claim('people', 10)).held).toHaveLength(1);
    const { data } = flow.apply(ended, planned(flow, ended, NOW), result, NOW);
    expect(planned(flow, data, NOW)).toMatchObject({ kind: 'open' });
    await world[Symbol.asyncDispose]();
  });

  test('is not shown before the modal has been acknowledged', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1']);
    const rejected = { isCast: true, end: ':x: *Rejected*' } as const;
    const found = Object.fromEntries(several.rows.map(({ id }) => [id, rejected]));
    // Storing them took longer than the modal is left alone.
    const at = NOW + 900;
    const looked = { kind: 'found', rows: found } as const;
    const { data } = flow.apply(several, planned(flow, several, at), looked, at);
    expect(flow.plan(data, at)).toMatchObject({ kind: 'wait', until: at + 500 });
    expect(planned(flow, data, at + 500)).toMatchObject({ kind: 'show-several' });
    await world[Symbol.asyncDispose]();
  });

  test('searches for its message before posting it if the store may have lost it', async () => {
    const { world, flow, several, core } = await stageOf(['Deploy 1']);
    const rows = several.rows.map((row) => ({
      ...row,
      ...{ isCast: true as const, end: '', isFinal: true as const },
    }));
    const ended = { ...several, rows, post: { name: 'several', channel: 'D0ANA' } };
    const late = NOW + 3_600_000;
    core.store.servingSince = () => NOW;
    expect(planned(flow, ended, late)).toMatchObject({ kind: 'slot' });
    core.store.servingSince = () => NOW + 1;
    core.store.wentBackAt = () => NOW + 1;
    expect(planned(flow, ended, late)).toMatchObject({ kind: 'find' });
    expect(flow.plan(ended, NOW + 2_000)).toMatchObject({ kind: 'wait' });
    await world[Symbol.asyncDispose]();
  });

  test('is cast again, and posted once, if an earlier version’s results arrive late', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1']);
    const [row] = several.rows;
    const result = JSON.parse(`{"kind":"cast","found":{"${row?.id}":{"isCast":true}}}`);
    const step = JSON.parse('{"kind":"cast-several"}');
    expect(flow.apply(several, step, result, NOW)).toEqual({ data: several });
    const rows = several.rows.map((each) => ({ ...each, isCast: true, isFinal: true }) as const);
    const attempt = { plannedAt: NOW, mustEndBy: NOW + 5_000 };
    const begun = { ...several, rows, post: { name: 'several', channel: 'D0ANA', attempt } };
    const posted = { kind: 'posted', channel: 'D0ANA', ts: '1.0' } as const;
    const post = JSON.parse(`{"kind":"post","plannedAt":${NOW}}`);
    const { data } = flow.apply(begun, post, posted, NOW);
    expect(planned(flow, data, NOW + 60_000)).toMatchObject({ kind: 'find', name: 'several' });
    await world[Symbol.asyncDispose]();
  });

  test('fits into one message, however long the titles and however many people decided', () => {
    const rows = Array.from({ length: 20 }, (_, at) => ({
      ...{ id: `0-${at}`, channel: 'C0PROD', digest: '', isFinal: true as const },
      title: '&'.repeat(3_000),
      end: pressEnd(approvalWith({ outcome: MANY }), { ...wish, at: NOW })?.end ?? '',
    }));
    const message = severalMessage({ ...severalRecord(wish, rows, NOW), rows });
    expect(messageSchema.safeParse(message).error).toBeUndefined();
  });
});

const MANY = {
  status: 'APPROVED',
  credit: 'certain',
  by: Array.from({ length: 100 }, (_, at) => `U0PERSON${at}`),
  learnedAt: NOW,
} as const;
