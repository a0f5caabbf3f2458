import { expect, it } from 'vitest';
import type { CatalogueProject } from '../../../src/core/config/config.ts';
import { choicesFor, isComplete } from '../../../src/operations/tasks/choices.ts';
import type { Places } from '../../../src/operations/tasks/destinations.ts';
import type { Draft } from '../../../src/operations/tasks/draft.ts';

const named = (...names: string[]) => names.map((name) => ({ id: name.toLowerCase(), name }));
const project = (
  id: string,
  statuses: CatalogueProject['statuses'],
  types: CatalogueProject['types'] = [],
): CatalogueProject => ({ id, name: id, space: null, slug: null, statuses, types });

const places: Places = {
  catalogue: {
    projects: [
      project('from', [
        { id: 's1', name: 'Open' },
        { id: 's2', name: 'Done' },
        { id: 's3', name: 'open' },
      ]),
      project('to', named('Open', 'Done', 'Later'), [
        { id: 'bug', name: 'Bug', statuses: named('New') },
        { id: 'chore', name: 'Chore', statuses: [] },
      ]),
      project('twice', [
        { id: 'a', name: 'Open' },
        { id: 'b', name: 'Open' },
      ]),
    ],
  },
  move: {
    source: 'none',
    who: { users: [], groups: [], channel: false },
    projects: [],
    identity: 'omit',
    rules: [],
    announce: true,
  },
  links: { task: null },
};

const node = (id: string, status: string) => ({ id, key: null, title: null, status, subItems: [] });
const draft = (target: Draft['target'], choices: Draft['choices'] = [], from = 'from') => ({
  v: 1 as const,
  by: 'U0ANA',
  channel: 'C0',
  reference: 'x',
  from: 'http' as const,
  readAt: 0,
  item: {
    ...node('1', 's1'),
    updatedAt: 'then',
    projectId: from,
    subItems: [node('2', 's2'), node('3', 's3'), node('4', 'unheard-of')],
  },
  target: target ?? { projectId: 'to', typeId: null },
  choices,
});
const TO = { projectId: 'to', typeId: null };

it('only a status with exactly the same name is suggested, with that reason', () => {
  expect(choicesFor(places, draft(TO), [])).toEqual([
    { from: 's1', to: 'open', why: 'same-name' },
    { from: 's2', to: 'done', why: 'same-name' },
  ]);
});

it('nothing is suggested if two statuses have the name', () => {
  expect(choicesFor(places, draft({ projectId: 'twice', typeId: null }), [])).toEqual([]);
});

it('suggestions come from the workflow of the type, or else of the project', () => {
  expect(choicesFor(places, draft({ projectId: 'to', typeId: 'bug' }), [])).toEqual([]);
  expect(choicesFor(places, draft({ projectId: 'to', typeId: 'chore' }), [])).toHaveLength(2);
  expect(choicesFor(places, draft({ projectId: 'to', typeId: 'gone' }), [])).toEqual([]);
});

it('the person’s choice comes first, then the last choice, if the destination has that status', () => {
  const chosen = [
    { from: 's1', to: 'later' },
    { from: 's2', to: 'gone' },
  ];
  const remembered = [
    ['s1', 'done'],
    ['s2', 'later'],
    ['s3', 'gone'],
  ] as const;
  expect(choicesFor(places, draft(TO, chosen), remembered)).toEqual([
    { from: 's1', to: 'later' },
    { from: 's2', to: 'later', why: 'last-time' },
  ]);
});

it('an unknown source project still gets suggestions for unambiguous status names', () => {
  expect(choicesFor(places, draft(TO, [], 'unknown-project'), [])).toEqual([
    { from: 's1', to: 'open', why: 'same-name' },
    { from: 's2', to: 'done', why: 'same-name' },
  ]);
});

it('the choices are complete when every status in use has a status of the destination', () => {
  const all = ['s1', 's2', 's3', 'unheard-of'].map((from) => ({ from, to: 'open' }));
  expect(isComplete(places, draft(TO, all))).toBe(true);
  expect(isComplete(places, draft(TO, all.slice(1)))).toBe(false);
  expect(isComplete(places, draft(TO, [...all.slice(1), { from: 's1', to: 'new' }]))).toBe(false);
  expect(isComplete(places, draft({ projectId: 'to', typeId: 'bug' }, all))).toBe(false);
});
