import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchState } from '../../../src/operations/batch/batch.ts';
import { queueOf } from '../../../src/operations/batch/queue.ts';
import { stateOf } from '../../../src/operations/flow/operation.ts';
import { destinationView } from '../../../src/operations/tasks/destination-form.ts';
import type { Places } from '../../../src/operations/tasks/destinations.ts';
import { movedBy } from '../../../src/operations/tasks/draft.ts';
import { statusesIn } from '../../../src/operations/tasks/item.ts';
import { mappingView, STATUSES_MAX } from '../../../src/operations/tasks/mapping-view.ts';
import type { Move, Outcome, ReviewedDraft } from '../../../src/operations/tasks/move.ts';
import {
  announcement,
  resultMessage,
  resultView,
} from '../../../src/operations/tasks/result-view.ts';
import { reviewView } from '../../../src/operations/tasks/review-view.ts';
import { MOVE_BATCH, type MoveBatch } from '../../../src/operations/tasks/several/move-batch.ts';
import {
  moveBatchMessage,
  moveBatchViews,
} from '../../../src/operations/tasks/several/move-batch-views.ts';
import { leftOut, NAMED_MAX, UNREAD } from '../../../src/operations/tasks/several/sentences.ts';
import { snapshotMessage } from '../../../src/operations/tasks/snapshot-flow.ts';
import { LINKS } from '../../approvals/approvals.ts';
import { cases } from '../../support/cases.ts';
import { coreWith } from '../../support/core-with.ts';
import { messageSchema, viewSchema } from '../../support/slack-limits.ts';

/** Other people's texts: long, odd, and with what Slack reads as markup. */
const text = fc.oneof(
  fc
    .tuple(fc.constantFrom('&', '<', '*', '|', 'a', 'ä', '👩‍🚀'), fc.constantFrom(1, 40, 80, 400))
    .map(([letter, times]) => letter.repeat(times)),
  fc.string({ minLength: 1 }).filter((each) => each.trim() !== ''),
  fc.constantFrom('<!channel>', '<@U0BEN>', '<https://x.example|face>'),
);
const id = fc.string({ minLength: 1, maxLength: 75 }).filter((each) => each.trim() !== '');

const world = fc.record({
  names: fc.array(text, { minLength: 3, maxLength: 3 }),
  workflow: fc.uniqueArray(fc.record({ id, name: text }), {
    minLength: 1,
    maxLength: 120,
    selector: (status) => status.id,
  }),
  types: fc.uniqueArray(fc.record({ id, name: text }), {
    maxLength: 3,
    selector: (each) => each.id,
  }),
  key: fc.option(text),
  title: fc.option(text),
  statuses: fc
    .uniqueArray(fc.tuple(text, fc.nat()), {
      minLength: 1,
      maxLength: STATUSES_MAX,
      selector: ([, n]) => n,
    })
    .map((pairs) => [...new Set(pairs.map(([name, n]) => `${name}${n}`))]),
  detail: text,
  space: fc.option(text),
});
type World = typeof world extends fc.Arbitrary<infer Of> ? Of : never;

const SMALL: World = {
  names: ['From', 'To', ''],
  workflow: [],
  types: [],
  key: null,
  title: null,
  statuses: [],
  detail: '',
  space: null,
};

function placesOf({ names, workflow, types, space }: World): Places {
  const [from = '', to = ''] = names;
  const project = (id: string, name: string) => ({
    id,
    name,
    space,
    slug: space,
    statuses: workflow,
    types: types.map((type) => ({ ...type, statuses: [] })),
  });
  return {
    catalogue: { projects: [project('from', from), project('to', to)] },
    move: {
      source: 'http',
      who: { users: [], groups: [], channel: false },
      projects: [],
      identity: 'omit',
      rules: [],
      announce: true,
    },
    links: { task: 'https://service.example/{spaceSlug}/{projectSlug}/{key}' },
  };
}

function draftOf({ key, title, statuses, workflow, types }: World): ReviewedDraft {
  const [first = '', ...others] = statuses;
  const node = (status: string, at: number) => ({
    id: `i${at}`,
    key: null,
    title: null,
    status,
    subItems: [],
  });
  const item = {
    ...node(first, 0),
    key,
    title,
    updatedAt: 'then',
    projectId: 'from',
    subItems: others.map((status, at) => node(status, at + 1)),
  };
  const to = workflow[0]?.id ?? '';
  return {
    v: 1,
    by: 'U0ANA',
    channel: 'C0DEPLOYS',
    reference: 'x',
    from: 'http',
    readAt: 1_790_000_000_000,
    item,
    target: { projectId: 'to', typeId: types[0]?.id ?? null },
    choices: statusesIn([item]).map((status) => ({
      from: status.id,
      to,
      why: 'same-name' as const,
    })),
  };
}

const ALIVE = /<!(?!date\^)|<@(?!U0ANA>)|<https:\/\/x\.example/;

/** All markup in it. */
function markupIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(markupIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === 'mrkdwn' && 'text' in value ? [value.text] : [];
  return [...own.map(String), ...Object.values(value).flatMap(markupIn)];
}

test('every form stays within Slack’s limits, and other people’s text is escaped', () => {
  fc.assert(
    fc.property(world, (given) => {
      const places = placesOf(given);
      const draft = draftOf(given);
      const views = [
        destinationView('d', draft, places, { projectId: 'to', typeId: draft.target.typeId }),
        mappingView('d', draft, places),
        reviewView('d', draft, places),
      ];
      for (const view of views) {
        expect(viewSchema.safeParse(view).error?.issues).toBeUndefined();
        expect(markupIn(view).join('\n').replaceAll('<@U0ANA>', '')).not.toMatch(ALIVE);
      }
    }),
    { numRuns: cases(30, 150) },
  );
});

/** The same item fifty times, from one other project. */
function several(draft: ReviewedDraft): ReviewedDraft {
  const { reference, from, readAt, item } = draft;
  const more = Array.from({ length: NAMED_MAX - 1 }, (_, at) => ({
    ...{ reference, from, readAt },
    item: { ...item, id: `more${at}`, projectId: at === 0 ? 'to' : 'from' },
  }));
  const notes = more.map(() => leftOut('&'.repeat(100), UNREAD['no-snapshot']));
  return { ...draft, v: 2, more, notes };
}

test('the forms and messages of several stay within Slack’s limits, and others’ text is escaped', () => {
  fc.assert(
    fc.property(world, fc.nat(), fc.boolean(), (given, at, isDoubted) => {
      const places = placesOf(given);
      const draft = several(draftOf(given));
      const end = OUTCOMES[at % OUTCOMES.length]?.(given) ?? { code: 'unknown' };
      const unconfirmed = isDoubted && { unconfirmed: { quietAt: 0, lost: 1, hasEnded: true } };
      const record: MoveBatch = {
        ...{ v: 1, by: draft.by, channel: draft.channel, announce: true, createdAt: 0 },
        ...{ target: draft.target, choices: draft.choices, draftId: 'd', posts: [] },
        lines: movedBy(draft).map((line) => ({ ...line, end, ...unconfirmed })),
        ...{ ...queueOf([], 0), allowedAt: 0, run: 0, page: 0 },
        ...(end.code === 'refused' && { stopped: end }),
      };
      const pages = [0, 1, 2, 9].map((page) =>
        moveBatchMessage('0-a', record, batchState(MOVE_BATCH.rules, { ...record, page }), places),
      );
      const shows = moveBatchViews(coreWith({ config: places, links: LINKS }));
      const announced = shows.announcement?.(record) ?? { text: '', blocks: [] };
      for (const message of [...pages, announced]) {
        expect(messageSchema.safeParse(message).error?.issues).toBeUndefined();
      }
      const views = [
        destinationView('d', draft, places, { projectId: 'to', typeId: draft.target.typeId }),
        mappingView('d', draft, places),
        reviewView('d', draft, places),
      ];
      for (const view of views) {
        expect(viewSchema.safeParse(view).error?.issues).toBeUndefined();
      }
      const said = markupIn([...views, ...pages])
        .join('\n')
        .replaceAll('<@U0ANA>', '');
      expect(said).not.toMatch(ALIVE);
    }),
    { numRuns: cases(20, 100) },
  );
});

test('the statuses of a large tree with long lists stay within Slack’s limits', () => {
  const named = (at: number) => ({
    id: `${at}`.padStart(75, 'i'),
    name: `${at}`.padEnd(400, '語'),
  });
  const places = placesOf({
    ...SMALL,
    workflow: Array.from({ length: 100 }, (_, at) => named(at)),
  });
  const statuses = Array.from({ length: STATUSES_MAX }, (_, at) => `${at}`.padEnd(300, '語'));
  const draft = draftOf({ ...SMALL, workflow: [named(1)], statuses });
  const view = mappingView('d', draft, places);
  expect(viewSchema.safeParse(view).error?.issues).toBeUndefined();
  expect(view.blocks.filter(({ type }) => type === 'input')).toHaveLength(STATUSES_MAX);
});

const OUTCOMES: readonly ((given: World) => Outcome)[] = [
  ({ key }) => ({
    code: 'moved',
    key,
    spaceSlug: 'eng',
    projectSlug: 'p',
    movedCount: 2,
    droppedFieldCount: 1,
  }),
  ({ key }) => ({ code: 'found-moved', key }),
  ({ detail }) => ({ code: 'invalid', detail }),
  ({ detail }) => ({ code: 'forbidden', detail }),
  ({ detail }) => ({ code: 'refused', detail }),
  () => ({ code: 'unknown' }),
  () => ({ code: 'moved-or-changed' }),
  ({ detail }) => ({
    code: 'changed',
    changes: { added: 9, removed: 9, statuses: 9, project: true, updatedAt: detail },
  }),
];

test('every result stays within Slack’s limits, in the form, the direct message and the channel', () => {
  fc.assert(
    fc.property(world, fc.nat(), fc.boolean(), (given, at, isDoubted) => {
      const places = placesOf(given);
      const draft = draftOf(given);
      const outcome = OUTCOMES[at % OUTCOMES.length]?.(given) ?? { code: 'unknown' };
      const move: Move = {
        v: 1,
        by: draft.by,
        channel: draft.channel,
        wish: { draft, draftId: 'd' },
        announce: true,
        run: 0,
        createdAt: 0,
        phase: { name: 'done' },
        outcome,
        posts: [{ name: 'announcement', failed: 'not_in_channel' }],
        ...(isDoubted && { unconfirmed: { quietAt: 0, lost: 1, hasEnded: true } }),
      };
      const state = stateOf(move);
      const view = resultView('0-record', move, state, places);
      expect(viewSchema.safeParse(view).error?.issues).toBeUndefined();
      const isDone = outcome.code === 'moved' || outcome.code === 'found-moved';
      const { item } = draft;
      const messages = [
        resultMessage('0-record', move, state, places),
        ...(isDone ? [announcement(move, places, LINKS)] : []),
        snapshotMessage({
          v: 1,
          source: 's',
          item,
          count: 3,
          createdAt: 0,
          post: { name: 'message', channel: 'C0' },
        }),
      ];
      for (const message of messages) {
        expect(messageSchema.safeParse(message).error?.issues).toBeUndefined();
        expect(markupIn(message.blocks).join('\n')).not.toMatch(ALIVE);
      }
    }),
    { numRuns: cases(60, 300) },
  );
});
