import { expect, it } from 'vitest';
import { stateOf } from '../../../src/operations/flow/operation.ts';
import type { Places } from '../../../src/operations/tasks/destinations.ts';
import { labelOf } from '../../../src/operations/tasks/item.ts';
import { mappingView } from '../../../src/operations/tasks/mapping-view.ts';
import type { Outcome } from '../../../src/operations/tasks/move.ts';
import { resultText } from '../../../src/operations/tasks/outcome-words.ts';
import { announcement } from '../../../src/operations/tasks/result-view.ts';
import { reviewView } from '../../../src/operations/tasks/review-view.ts';
import { snapshotMessage } from '../../../src/operations/tasks/snapshot-flow.ts';
import { LINKS } from '../../approvals/approvals.ts';
import { draftOf, found, ITEM, moveIn } from './moves.ts';

/** Would be a line of its own, and turn what stands beside it. */
const FORGED = 'Old\n:white_check_mark: *Moved* · \u202eOPS-9';
const FORGED_LINE = 'Old ∶white_check_mark: ∗Moved∗ · OPS-9';

const places: Places = {
  catalogue: { projects: [] },
  move: {
    source: 'http',
    who: { users: [], groups: [], channel: false },
    projects: [],
    identity: 'omit',
    rules: [],
    announce: true,
  },
  links: { task: 'https://service.example/{key}' },
};
const draft = draftOf({
  item: found({ key: FORGED, title: FORGED, status: FORGED }),
  choices: [{ from: FORGED, to: 'todo' }],
});

it('a name cannot imitate a line of Gatepost', () => {
  const ends: Outcome[] = [
    { code: 'found-moved', key: FORGED },
    {
      code: 'moved',
      key: FORGED,
      spaceSlug: null,
      projectSlug: null,
      movedCount: 1,
      droppedFieldCount: 0,
    },
    { code: 'unknown' },
    { code: 'forbidden', detail: FORGED },
  ];
  const moves = ends.map((outcome) =>
    moveIn({ name: 'done' }, { wish: { draft, draftId: 'd' }, outcome }),
  );
  const texts = [
    ...moves.map((move) => resultText(move, stateOf(move), places)),
    ...moves.slice(0, 2).map((move) => announcement(move, places, LINKS).text),
    snapshotMessage({
      v: 1,
      source: 's',
      item: draft.item,
      count: 1,
      createdAt: 0,
      post: { name: 'message', channel: 'C0' },
    }).text,
    ...[mappingView, reviewView].map((view) =>
      JSON.stringify(view('d', draft, places).blocks).replaceAll('\\n', '\n'),
    ),
  ];
  for (const text of texts) {
    expect(text).toContain(FORGED_LINE);
    expect(text).not.toMatch(/^:white_check_mark: \*Moved\* · \S?OPS-9/m);
    expect(text).not.toContain('\u202e');
  }
});

it.each([
  ['C0OPS', 'Gatepost cannot post in <#C0OPS>, so only you were told.'],
  ['D0ANA', 'Gatepost cannot post in that conversation, so only you were told.'],
])('says where the announcement could not be posted: %s', (channel, sentence) => {
  const outcome = { code: 'found-moved', key: 'WEB-3' } as const;
  const posts = [{ name: 'announcement', channel, failed: 'channel_not_found' }];
  const move = moveIn({ name: 'done' }, { channel, outcome, posts });
  expect(resultText(move, stateOf(move), places).split('\n').at(-1)).toBe(sentence);
});

it('says if another number of items was moved than reviewed', () => {
  const moved = { code: 'moved', key: 'WEB-3', spaceSlug: null, projectSlug: null } as const;
  const textWith = (movedCount: number) => {
    const outcome = { ...moved, movedCount, droppedFieldCount: 0 };
    const move = moveIn({ name: 'done' }, { outcome });
    return resultText(move, stateOf(move), places);
  };
  expect(textWith(3)).not.toContain('You reviewed');
  expect(textWith(5)).toContain(
    'You reviewed 3 items, and the service says that it moved 5. Check the sub-items.',
  );
});

it.each([
  [{ key: 'OPS-1', title: 'Title' }, 'OPS-1'],
  [{ key: null, title: 'Title' }, 'Title'],
  [{ key: ' \n', title: '\u200f' }, '1'],
  [{ id: '\n', key: null, title: null }, 'Work item'],
])('the label of the item %j is %s', (change, label) => {
  expect(labelOf({ ...ITEM, ...change })).toBe(label);
});
