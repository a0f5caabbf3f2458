import { expect, it } from 'vitest';
import { type Meant, targetOf } from '../../../src/operations/tasks/destination-form.ts';
import type { Places } from '../../../src/operations/tasks/destinations.ts';
import { choosingView } from '../../../src/operations/tasks/next-view.ts';
import { viewSchema } from '../../support/slack-limits.ts';
import { draftOf, found } from './moves.ts';

const statuses = [{ id: 'todo', name: 'To do' }];
const project = (id: string, name: string, space: string | null = null) => ({
  id,
  name,
  space,
  slug: null,
  statuses,
  types: [],
});
const places: Places = {
  catalogue: {
    projects: [
      project('ops', 'Operations'),
      { ...project('web', 'Website'), types: [{ id: 'bug', name: 'Bug', statuses: [] }] },
      project('fin', 'Ledger'),
      project('one', 'Twin', 'a'),
      project('two', 'Twin', 'b'),
      { ...project('bare', 'Bare'), statuses: [] },
    ],
  },
  move: {
    source: 'http',
    who: { users: [], groups: [], channel: false },
    projects: [],
    identity: 'omit',
    rules: [],
    announce: true,
  },
  links: { task: null },
};

const draft = ({ target: _, ...rest } = draftOf()) => rest;
const asks = (parts: Partial<Extract<Meant, { isClear: false }>> = {}) => ({
  isClear: false,
  ...parts,
});
const to = (projectId: string, typeId: string | null = null) => ({
  isClear: true,
  target: { projectId, typeId },
});

it.each([
  ['nothing', {}, asks()],
  ['its name', { wanted: 'ledger' }, to('fin')],
  ['its id', { wanted: 'fin' }, to('fin')],
  ['one with several types', { wanted: 'Website' }, asks({ projectId: 'web' })],
  [
    'the name of two',
    { wanted: 'Twin' },
    asks({ note: 'Several projects are called "Twin". Choose one.' }),
  ],
  [
    'one without statuses',
    { wanted: 'bare' },
    asks({
      note: 'Nothing can be moved to *Bare*: no statuses are listed there. Ask a Gatepost administrator to add them.',
    }),
  ],
  ['one of two by its Space', { wanted: 'Twin · b' }, to('two')],
  [
    'a name that is not quite right',
    { wanted: 'Ledgers' },
    asks({
      note: 'There is no project "Ledgers" that it can be moved to. Did you mean Ledger? Choose one.',
    }),
  ],
  [
    'where it is',
    { wanted: 'operations' },
    asks({ note: 'The item is already in Operations. Choose another project.' }),
  ],
])('reads the destination from what was typed: %s', (_, change, meant) => {
  expect(targetOf(places, { ...draft(), ...change })).toEqual(meant);
});

it('keeps the chosen destination as long as it is offered', () => {
  const chosen = (projectId: string, typeId: string | null) =>
    targetOf(places, draftOf({ target: { projectId, typeId } }));
  expect(chosen('web', 'bug')).toEqual(to('web', 'bug'));
  expect(chosen('web', null)).toEqual(to('web'));
  const gone = asks({ note: 'That project or type is no longer available. Choose again.' });
  expect(chosen('web', 'gone')).toEqual(gone);
  expect(chosen('gone', null)).toEqual(gone);
  expect(chosen('bare', null)).toEqual(gone);
});

it('asks again if the item is already in the destination', () => {
  expect(targetOf(places, draftOf({ item: found({ projectId: 'web' }) }))).toEqual(
    asks({ note: 'The item is already in Website. Choose another project.' }),
  );
});

it.each([
  ['a project', places],
  ['every project', { ...places, catalogue: { projects: [] } }],
])('is shown even if %s was removed from the configuration', (_, settings) => {
  const view = choosingView(
    'd',
    draftOf({ target: { projectId: 'gone', typeId: null } }),
    settings,
  );
  expect(viewSchema.safeParse(view).error?.issues).toBeUndefined();
});
