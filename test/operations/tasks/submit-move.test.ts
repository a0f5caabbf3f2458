import type { ModalView } from '@slack/types';
import { expect, it } from 'vitest';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { FormAnswer } from '../../../src/core/slack/show-form.ts';
import {
  type Held,
  type NewRecord,
  type Store,
  type StoredRecord,
  StoreError,
} from '../../../src/core/store/store.ts';
import { encodeOperation } from '../../../src/operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { NOT_YOURS } from '../../../src/operations/flow/words.ts';
import type { Places } from '../../../src/operations/tasks/destinations.ts';
import { MOVE_KIND, type Move, type ReviewedDraft } from '../../../src/operations/tasks/move.ts';
import { moveOperation } from '../../../src/operations/tasks/move-operation.ts';
import { WORDS } from '../../../src/operations/tasks/outcome-words.ts';
import { FORM_GONE, OTHER_WORKFLOW } from '../../../src/operations/tasks/sentences.ts';
import { reviewAgain, sendAgain, submitMove } from '../../../src/operations/tasks/submit-move.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { AUTHORIZE, draftOf, moveIn, NOW, SENDING } from './moves.ts';

const project = (id: string, ...names: string[]) => ({
  id,
  name: id,
  space: null,
  slug: null,
  statuses: names.map((name) => ({ id: name, name })),
  types: [],
});
const places: Places = {
  catalogue: { projects: [project('ops', 'open', 'done'), project('web', 'todo', 'done')] },
  move: {
    source: 'http',
    who: { users: ['U0ANA'], groups: [], channel: false },
    projects: [],
    identity: 'omit',
    rules: [],
    announce: true,
  },
  links: { task: null },
};

const form = {
  id: 'V1',
  hash: 'h1',
  callback: 'tasks.confirm',
  metadata: '{"draft":"d"}',
  values: new Map<string, string>(),
};

function recordOf(move: Move): StoredRecord {
  const kept = { lane: 'people', dueAt: null, place: null, uniqueKey: null, lists: [] } as const;
  return { id: '0-a', kind: MOVE_KIND, data: encodeOperation(move), ...kept };
}

interface World {
  readonly draft?: ReviewedDraft;
  /** A move that the same draft was recorded as. */
  readonly known?: Move;
  readonly trouble?: StoreError['code'];
  /** Nothing can be read. */
  readonly isAway?: boolean;
  /** It is let go of between a look at it and a signal. */
  readonly isGone?: boolean;
}

/** A store that holds one draft, and notes what it is told. */
function needsWith({
  draft = draftOf(),
  known,
  trouble,
  isAway = false,
  isGone = false,
}: World = {}) {
  const told: unknown[] = [];
  const lease = { id: '0-a', token: 't' };
  const store = fake<Store>({
    now: () => NOW,
    async get(key: string) {
      if (isAway) throw new StoreError('unavailable', 'the store is away');
      return key === 'tasks.draft:d' ? JSON.stringify(draft) : undefined;
    },
    create: async ({ uniqueKey, data }: NewRecord) => {
      if (trouble !== undefined) throw new StoreError(trouble, 'the store is away');
      told.push(uniqueKey);
      if (known !== undefined) return { kind: 'exists', record: recordOf(known) } as const;
      const move: Move = JSON.parse(data);
      const held: Held = { lease, record: recordOf(move), inbox: [], claims: 1, now: NOW };
      return { kind: 'created', id: '0-a', now: NOW, held } as const;
    },
    read: async () => known && recordOf(known),
    signal: async (_: string, { body }: { readonly body: string }) => {
      told.push(body);
      return { kind: isGone ? 'missing' : 'queued' } as const;
    },
  });
  const run = async (held: Held) => void told.push(`run ${held.lease.id}`);
  const reconciler = { hasRoom: true, run };
  return Object.assign(coreWith({ store, config: places, reconciler }), { told });
}

const shown = (view: unknown) => JSON.stringify(view);

/** What the modal shows next. */
function viewIn({ ack }: FormAnswer): ModalView {
  if (!('view' in ack)) throw new Error('an error stands at an input');
  return ack.view;
}

it('the move is stored before the form is acknowledged, and starts after that', async () => {
  const needs = needsWith();
  const submitted = await submitMove(needs, form, 'U0ANA');
  expect(shown(submitted.ack)).toContain('Checking whether you can…');
  expect(needs.told).toHaveLength(1);
  await submitted.later?.();
  expect(needs.told.at(-1)).toBe('run 0-a');
});

it.each([
  ['of somebody else', form, 'U0BEN'],
  ['of a draft that is not kept', { ...form, metadata: '{"draft":"other"}' }, 'U0ANA'],
])('nothing is stored for a form %s', async (_, given, user) => {
  const needs = needsWith();
  const view = viewIn(await submitMove(needs, given, user));
  expect(shown(view)).toContain(FORM_GONE);
  expect(needs.told).toEqual([]);
});

it('the form returns to the statuses if one of them no longer exists in the destination', async () => {
  const choices = [
    { from: 'open', to: 'gone' },
    { from: 'done', to: 'done' },
  ];
  const needs = needsWith({ draft: draftOf({ choices }) });
  expect(shown((await submitMove(needs, form, 'U0ANA')).ack)).toContain(OTHER_WORKFLOW);
  expect(needs.told).toEqual([]);
});

it.each([
  ['unavailable', WORDS.notRecorded(false)],
  ['unknown', WORDS.notRecorded(true)],
] as const)(
  'says what is known if the store is %s, and offers the same move again',
  async (trouble, note) => {
    const view = viewIn(await submitMove(needsWith({ trouble }), form, 'U0ANA'));
    expect(shown(view)).toContain(note);
    const unsure = trouble === 'unknown' && { unsure: true };
    expect(view).toMatchObject({
      submit: { text: 'Move 3 items' },
      private_metadata: JSON.stringify({ draft: 'd', ...unsure }),
    });
  },
);

it('never says that nothing was moved once a press may have been stored', async () => {
  const first = await submitMove(needsWith({ trouble: 'unknown' }), form, 'U0ANA');
  const again = { ...form, metadata: viewIn(first).private_metadata ?? '' };
  const next = await submitMove(needsWith({ trouble: 'unavailable' }), again, 'U0ANA');
  expect(shown(next.ack)).toContain(WORDS.notRecorded(true));
  // With other statuses it would be another move.
  expect(shown(next.ack)).not.toContain('Change statuses');
  const unread = await submitMove(needsWith({ isAway: true }), again, 'U0ANA');
  expect(shown(unread.ack)).toContain(WORDS.notRecorded(true));
});

it('a review that cannot be read stays open with Try again', async () => {
  const view = viewIn(await submitMove(needsWith({ isAway: true }), form, 'U0ANA'));
  expect(shown(view)).toContain(WORDS.notRecorded(false));
  expect(view).toMatchObject({ callback_id: 'tasks.confirm', submit: { text: 'Try again' } });
  const needs = needsWith();
  const again = { ...form, metadata: view.private_metadata ?? '' };
  const submitted = await submitMove(needs, again, 'U0ANA');
  expect(shown(submitted.ack)).toContain('Checking whether you can…');
  expect(needs.told).toHaveLength(1);
});

it('a second press gets the current state of the move, and has it shown again', async () => {
  const needs = needsWith({ known: moveIn(SENDING, { modal: 'V1' }) });
  const submitted = await submitMove(needs, form, 'U0ANA');
  expect(shown(submitted.ack)).toContain('Moving…');
  await submitted.later?.();
  expect(needs.told.slice(1)).toEqual([encodeSignal({ kind: 'covered' })]);
});

it('the result is shown again after an acknowledgement replaced it', () => {
  const needs = coreWith({
    service: { tasks: null },
    config: { ...places, retention: { doneMs: 1 } },
  });
  const flow = createOperationFlow(moveOperation(needs), TRUE_TIME);
  const over = moveIn({ name: 'done' }, { modal: 'V1', outcome: { code: 'refused' } });
  const state = { state: 'done', outcome: { code: 'refused' } };
  const settled = { ...over, shown: JSON.stringify(state) };
  const later = NOW + 60_000;
  expect(flow.plan(settled, later).kind).toBe('finish');
  const signal = { id: 's', at: later, body: encodeSignal({ kind: 'covered' }) };
  const { data } = flow.receive(settled, signal, later);
  expect(flow.plan(data, later)).toMatchObject({ kind: 'wait', until: later + 500 });
  expect(flow.plan(data, later + 500)).toMatchObject({ step: { kind: 'show', state } });
});

it('only the author of a move can continue it', async () => {
  const known = moveIn({ name: 'done' }, { outcome: { code: 'unknown' } });
  const needs = needsWith({ known });
  const others = { value: '0-a', press: 'p', user: 'U0BEN' };
  const views = [await sendAgain(needs, others), await reviewAgain(needs, others)];
  for (const view of views) expect(shown(view)).toContain(NOT_YOURS);
  expect(shown(views)).not.toContain('OPS-1');
  expect(needs.told).toEqual([]);
});

it.each([
  ['moved', moveIn({ name: 'done' }, { outcome: { code: 'found-moved', key: 'WEB-3' } })],
  ['refused', moveIn({ name: 'done' }, { outcome: { code: 'forbidden' } })],
])('a move that is %s is shown and not sent again', async (_, known) => {
  const needs = needsWith({ known });
  const view = await sendAgain(needs, { value: '0-a 0', press: 'p', user: 'U0ANA' });
  expect(view).toMatchObject({ callback_id: 'tasks.notice' });
  expect(needs.told).toEqual([]);
});

it('a press during a move changes nothing', async () => {
  const needs = needsWith({ known: moveIn(AUTHORIZE) });
  expect(await sendAgain(needs, { value: '0-a 0', press: 'p', user: 'U0ANA' })).toBeUndefined();
  expect(needs.told).toEqual([]);
});

it('says that a move is no longer stored', async () => {
  const known = moveIn({ name: 'done' }, { outcome: { code: 'unknown' } });
  for (const needs of [needsWith({ known, isGone: true }), needsWith()]) {
    const view = await sendAgain(needs, { value: '0-a 0', press: 'p', user: 'U0ANA' });
    expect(shown(view)).toContain(WORDS.gone);
  }
});

it('a press on an outdated Try again sends nothing', async () => {
  const known = moveIn({ name: 'done' }, { outcome: { code: 'unknown' }, run: 1 });
  const needs = needsWith({ known });
  const press = (run: number) => ({ value: `0-a ${run}`, press: 'p', user: 'U0ANA' });
  expect(shown(await sendAgain(needs, press(0)))).toContain('"0-a 1"');
  expect(needs.told).toEqual([]);
  expect(await sendAgain(needs, press(1))).toBeUndefined();
  expect(needs.told).toEqual([encodeSignal({ kind: 'again', run: 1 })]);
});

it('a move that got lost after Try again is not repeated by a second press on the same button', () => {
  const needs = coreWith({
    service: { tasks: null },
    config: { ...places, retention: { doneMs: 1 } },
  });
  const flow = createOperationFlow(moveOperation(needs), TRUE_TIME);
  const take = (move: Move, run: number) => {
    const signal = { id: 's', at: NOW, body: encodeSignal({ kind: 'again', run }) };
    return flow.receive(move, signal, NOW).data;
  };
  const busy = moveIn({ name: 'done' }, { outcome: { code: 'busy' } });
  expect(take(busy, 0)).toMatchObject({ run: 1, phase: { name: 'authorize' } });
  const lost = moveIn({ name: 'done' }, { outcome: { code: 'unknown' }, run: 1 });
  expect(take(lost, 0)).toBe(lost);
  expect(take(lost, 1)).toMatchObject({ run: 2, phase: { name: 'authorize' } });
});
