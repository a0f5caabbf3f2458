import { expect, it } from 'vitest';
import { changesIn, whereIs } from '../../../src/operations/tasks/item.ts';
import {
  ANOTHER_TIME,
  CHILD_CHANGED,
  draftOf,
  found,
  GONE_ELSEWHERE,
  GONE_THERE,
  ITEM,
} from './moves.ts';

const [first, second] = ITEM.subItems;
const children = [first, second].filter((each) => each !== undefined);
const NEW = { id: '9', key: 'OPS-9', title: null, status: 'open', subItems: [] };

it.each([
  ['as it was', found(), 'untouched'],
  ['with its sub-items in another order', found({ subItems: children.toReversed() }), 'untouched'],
  ['with another title', found({ title: 'Another' }), 'untouched'],
  ['in the destination', GONE_THERE, 'moved'],
  ['in a third project', GONE_ELSEWHERE, 'changed'],
  ['with another time', ANOTHER_TIME, 'changed'],
  [
    'with the same time written in another way',
    found({ updatedAt: '2030-01-01T10:00:00.1201Z' }),
    'changed',
  ],
  ['with another status below', CHILD_CHANGED, 'changed'],
  ['without a sub-item', found({ subItems: children.slice(1) }), 'changed'],
  ['with a sub-item more', found({ subItems: [...children, NEW] }), 'changed'],
  ['with another key, in the same project', found({ key: 'OPS-99' }), 'changed'],
  ['that is another one', { ...GONE_THERE, id: '9' }, 'unclear'],
  // Where the answer does not name the project, nothing but the key can tell.
  ['nowhere, with another key', found({ projectId: null, key: 'WEB-3' }), 'unclear'],
  ['nowhere, without a key', found({ projectId: null, key: null }), 'unclear'],
])('reads the state of an item %s', (_, item, where) => {
  expect(whereIs(draftOf(), item)).toBe(where);
});

it('compares an item without a project by its key', () => {
  const draft = draftOf({ item: found({ projectId: null }) });
  expect(whereIs(draft, found({ projectId: null }))).toBe('untouched');
  expect(whereIs(draft, found({ projectId: null, key: 'WEB-3' }))).toBe('unclear');
});

it('counts added sub-items, removed ones and changed statuses', () => {
  const after = found({
    updatedAt: 'later',
    projectId: 'fin',
    subItems: [...children.slice(1).map((each) => ({ ...each, status: 'done' })), NEW],
  });
  expect(changesIn(draftOf(), after)).toEqual({
    added: 1,
    removed: 1,
    statuses: 1,
    project: true,
    updatedAt: 'later',
  });
});
