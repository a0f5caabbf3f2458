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
import { systemTimers } from '../../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { StoreError } from '../../../../src/core/store/store.ts';
import { openMemoryWorld } from '../../../core/store/memory-world.ts';
import { coreWith } from '../../../support/core-with.ts';
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

const planned = (flow: ReturnType<typeof createSeveralFlow>, several: Several, at: number) => {
  const next = flow.plan(several, at);
  if (next.kind !== 'step') throw new Error(`there is a step: ${JSON.stringify(next)}`);
  return next.step;
};

describe('a selection of several decisions', () => {
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
