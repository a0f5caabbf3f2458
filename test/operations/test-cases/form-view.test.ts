import { expect, it } from 'vitest';
import { labelWithId, matching } from '../../../src/core/slack/modal-blocks.ts';
import { ACTIONS } from '../../../src/operations/test-cases/actions.ts';
import { projectText } from '../../../src/operations/test-cases/catalogue.ts';
import { suiteBlock } from '../../../src/operations/test-cases/fields.ts';
import {
  CASE_FORM,
  formView,
  optionsFor,
  PROJECT_BLOCK,
} from '../../../src/operations/test-cases/form-view.ts';
import { LINES_FORM } from '../../../src/operations/test-cases/several/lines-form.ts';

/** More suites than a list can hold. */
const suites = Array.from({ length: 150 }, (_, index) => ({
  id: `su-${index}`,
  name: `S${index}`,
}));
const PLACES = {
  catalogue: { testProjects: [{ id: 'tp', name: 'Checkout', space: 'eng', suites }] },
  links: { testCase: null },
  cases: { announce: true },
};
const LIST = { actionId: ACTIONS.suite, blockId: suiteBlock('tp') };

it('a list of suites offers "Other…" whatever is typed, where the form asks for an id', () => {
  const offered = (callback: string, typed: string) =>
    matching(optionsFor(PLACES, { callback }, LIST), typed).map(({ text }) => text.text);
  expect(offered(CASE_FORM.id, 's149')).toEqual(['S149', 'Other…']);
  expect(offered(CASE_FORM.id, 'nothing')).toEqual(['Other…']);
  const all = offered(CASE_FORM.id, 's');
  expect(all).toHaveLength(100);
  expect(all.at(-1)).toBe('Other…');
  expect(offered(LINES_FORM.id, 'nothing')).toEqual([]);
});

it('a form with a suite that is not listed asks for its id, and carries that it does', () => {
  const view = (suiteId: string) =>
    formView(PLACES, { channel: 'C1', round: 0 }, { projectId: 'tp', suiteId });
  const asks = (shown: ReturnType<typeof view>) => JSON.stringify(shown.blocks).includes('Id of');
  expect([asks(view('su-9')), asks(view('elsewhere'))]).toEqual([false, true]);
  const carried = (suiteId: string) => JSON.parse(view(suiteId).private_metadata ?? '');
  expect(carried('su-9')).toEqual({ channel: 'C1', round: 0 });
  expect(carried('elsewhere')).toEqual({ channel: 'C1', round: 0, otherSuite: true });
});

it('the id of a reported project is shown in the list and in texts, whatever its name is', () => {
  const id = '9c0e5a00-0000-4000-8000-000000000002';
  const reported = { source: 'inventory', at: 0 };
  const named = (name: string) => ({ id, name, space: 'eng', suites: [], reported });
  const labelOf = (name: string) => {
    const places = { ...PLACES, catalogue: { testProjects: [named(name)] } };
    const list = { actionId: ACTIONS.project, blockId: PROJECT_BLOCK };
    const offered = optionsFor(places, { callback: CASE_FORM.id }, list);
    expect(projectText(places, id)).toMatch(new RegExp(`^\\*[ -~…]+\\* \\(\`${id}\`\\)$`));
    const [label = ''] = matching(offered, '').map(({ text }) => text.text);
    expect(label.length).toBeLessThanOrEqual(75);
    return label;
  };
  expect(labelOf('Checkout')).toBe(`Checkout · eng · ${id}`);
  expect(labelOf(`Checkout ${'.'.repeat(70)}`)).toBe(`Checkout ${'.'.repeat(26)}… · ${id}`);
  expect(labelOf(`Check\u202e\n\nout\x1b[2J`)).toBe(`Check out [2J · eng · ${id}`);
});

it('an id that leaves no room for the name is shown alone', () => {
  const id = 'x'.repeat(75);
  expect(labelWithId('Checkout', id)).toBe(id);
  expect(labelWithId('\u202e', 'tp')).toBe('tp');
});
