import { describe, expect, test } from 'vitest';
import { APPROVAL_KIND, type Approval, placeOf } from '../../../src/approvals/approval.ts';
import {
  createSeveralFlow,
  endOf,
  type Several,
  severalModal,
  severalRecord,
} from '../../../src/approvals/list/several-flow.ts';
import { digestOf } from '../../../src/approvals/message/overflow.ts';
import { encodeApproval } from '../../../src/approvals/stored-approval.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { openMemoryWorld } from '../../core/store/memory-world.ts';
import { coreWith } from '../../support/core-with.ts';
import { textsOf } from '../../support/world.ts';
import { approvalWith, DECIDING, NOW } from '../approvals.ts';

const wish = { user: 'U0ANA', action: 'approve', view: 'V1' } as const;

async function stageOf(titles: readonly string[]) {
  const world = await openMemoryWorld();
  const [store, other] = world.stores;
  const rows = [];
  for (const title of titles) {
    const approval = approvalWith({ title });
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
  return { world, other, flow: createSeveralFlow(core), several: severalRecord(wish, rows, NOW) };
}

const planned = (flow: ReturnType<typeof createSeveralFlow>, several: Several, at: number) => {
  const next = flow.plan(several, at);
  if (next.kind !== 'step') throw new Error(`there is a step: ${JSON.stringify(next)}`);
  return next.step;
};

describe('several decisions', () => {
  test('are cast once each, also by whoever follows a process that died', async () => {
    const { world, other, flow, several } = await stageOf(['Deploy 1', 'Deploy 2']);
    const step = planned(flow, several, NOW);
    expect(step).toEqual({ kind: 'cast-several' });
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

  test('are looked at until all have an end, shown, and told in one message', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1']);
    const [row] = several.rows;
    if (row === undefined) throw new Error('there is one');
    const cast = { ...several, rows: [{ ...row, isCast: true as const }] };
    expect(planned(flow, cast, NOW + 2_000)).toEqual({ kind: 'look-at-several' });
    const ended = { ...cast, rows: [{ ...row, isCast: true as const, end: ':x: *Rejected*' }] };
    const show = planned(flow, ended, NOW + 2_000);
    expect(show).toEqual({ kind: 'show-several', ended: 1 });
    const shown = flow.apply(ended, show, { kind: 'shown' }, NOW + 2_000).data;
    expect(planned(flow, shown, NOW + 2_000)).toMatchObject({ kind: 'open' });
    const closed = { kind: 'failed', failure: { class: 'refused', code: 'not_found' } } as const;
    const unseen = flow.apply(ended, show, closed, NOW + 2_000).data;
    expect(planned(flow, unseen, NOW + 2_000)).toMatchObject({ kind: 'open' });
    await world[Symbol.asyncDispose]();
  });

  test('that the service does not answer for long are told as open', async () => {
    const { world, flow, several } = await stageOf(['Deploy 1']);
    const rows = several.rows.map((row) => ({ ...row, isCast: true as const }));
    expect(planned(flow, { ...several, rows }, NOW + 46_000)).toMatchObject({ kind: 'open' });
    const texts = textsOf(severalModal({ ...several, rows }).blocks);
    expect(texts).toEqual([
      "1 of 1 still open. You'll get the results as a direct message, too.",
      '*Deploy 1*\n:hourglass_flowing_sand: still open: its message shows the result',
    ]);
    await world[Symbol.asyncDispose]();
  });
});

const outcome = { status: 'REJECTED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW } as const;
const refused = { kind: 'not-counted', by: 'U0ANA', why: 'requester' } as const;

test.each<[string, Partial<Approval>, RegExp | undefined]>([
  [
    'waiting',
    { queue: [{ id: 'c', user: 'U0ANA', channel: '', at: NOW, action: 'approve' }] },
    undefined,
  ],
  ['being decided', { decision: DECIDING }, undefined],
  ['decided', { outcome }, /^:x: \*Rejected by <@U0BEN>\*$/],
  ['withdrawn', { withdrawnAt: NOW }, /Withdrawn/],
  [
    'counted',
    { ballots: [{ user: 'U0ANA', action: 'approve', at: NOW }] },
    /approval counts; more/,
  ],
  [
    'not counted',
    { history: { events: [{ ...refused, after: 1_000 }] } },
    /Not counted: .*asked for/,
  ],
  [
    'not counted before',
    { createdAt: NOW - 60_000, history: { events: [{ ...refused, after: 1_000 }] } },
    undefined,
  ],
])('what is %s has that end', (_, change, end) => {
  const found = endOf(approvalWith({ createdAt: NOW, ...change }), { ...wish, at: NOW });
  if (end === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(end);
});
