import { expect, test } from 'vitest';
import { countsIn, withTable } from '../../../proof/removable/table.ts';
import { withoutMember } from '../../../proof/removable/without-member.ts';
import { withoutRows } from '../../../proof/removable/without-rows.ts';

const RECORD = `export interface Record {
  readonly id: string;
  /** How long it waits. */
  readonly held?: {
    readonly until: number;
  };
  readonly at: number;
}

/** Once sent. */
export type State =
  | { readonly name: 'open'; readonly held?: boolean }
  | {
      readonly name: 'held';
      readonly until: number;
    }
  | { readonly name: 'sent' };

export type Why = 'held' | 'late';
`;

test('a member goes with its comment', () => {
  expect(withoutMember(RECORD, 'Record.held')).toContain(`export interface Record {
  readonly id: string;
  readonly at: number;
}
`);
});

test('an alternative of a union goes, and so does a member within one', () => {
  const left = withoutMember(RECORD, 'State.held');
  expect(left).toContain(`export type State =
  | { readonly name: 'open' }
  | { readonly name: 'sent' };
`);
});

test('a whole declaration goes with its comment', () => {
  const left = withoutMember(RECORD, 'State');
  expect(left).not.toContain('Once sent');
  expect(left).toContain("}\n\n\nexport type Why = 'held' | 'late';");
});

test('what does not exist is an error, so that no row is out of date', () => {
  expect(() => withoutMember(RECORD, 'Record.gone')).toThrow('Record has no gone');
  expect(() => withoutMember(RECORD, 'Gone')).toThrow('no declaration of Gone');
});

test('rows of a table go with their imports, and other uses stay', () => {
  const table = `import { type Hold, hold } from './hold.ts';
import { open } from './open.ts';

export interface All extends Open, Hold {}

export type Step =
  | Open
  | Hold;

const PARTS = [open, hold] as const;
const STEPS = {
  open,
  hold,
  'on-hold': hold.step,
  ...hold.start(base),
};

run(hold, open);
`;
  const left = withoutRows(table, 'a/table.ts', (path) => path === 'a/hold.ts');
  expect(left).toBe(`import { open } from './open.ts';

export interface All extends Open, Hold {}

export type Step =
  | Open;

const PARTS = [open] as const;
const STEPS = {
  open,
};

run(hold, open);
`);
});

test('the table is read as it is written', () => {
  const page =
    'before\n<!-- removable: written by `npm run removable` -->\n<!-- /removable -->\nafter';
  const counts = [
    ['hold', 3],
    ['several at once', 12],
  ] as const;
  const written = withTable(page, counts);
  expect([...countsIn(written)]).toEqual(counts);
  expect(withTable(written, counts)).toBe(written);
});
