import { expect, it } from 'vitest';
import { messageProblems, viewProblems } from '../../../workspace/blocks/check-blocks.ts';
import { documented, refused, samples, withMember } from './documented-elements.ts';
import { actions, beside, input, type Json, modal } from './sample-blocks.ts';

const blocks = {
  actions,
  context_actions: (element: Json) => ({ type: 'context_actions', elements: [element] }),
  section: beside,
  input,
};
/** As it arrives: in JSON. Inputs are in modals, feedback in messages. */
const problemsOf = (place: keyof typeof blocks, element: Json) => {
  const given = JSON.parse(JSON.stringify([blocks[place](element)]));
  return place === 'input' ? viewProblems(modal({ blocks: given })) : messageProblems(given);
};

// The keys of a record by type are its types.
const types = Object.keys(documented) as (keyof typeof documented)[];
const members = types.flatMap((type) =>
  Object.keys(samples[type]).map((member) => [type, member] as const),
);

it.each(members)('%s takes %s', (type, member) => {
  expect(problemsOf(documented[type].place, withMember(type, member))).toEqual([]);
});

it.each(types)('%s takes no member that Slack does not know', (type) => {
  const element = { ...withMember(type, 'type'), charm: true };
  expect(problemsOf(documented[type].place, element)).toContainEqual(
    expect.stringContaining('invalid additional property: charm'),
  );
});

it.each(types.flatMap((type) => documented[type].needs.map((need) => [type, need] as const)))(
  '%s needs %s',
  (type, need) => {
    const { [need]: _, ...without } = withMember(type, 'type');
    expect(problemsOf(documented[type].place, without)).not.toEqual([]);
  },
);

it.each(refused)('%s is refused', (type) => {
  expect(problemsOf('actions', { type })).toContainEqual(expect.stringContaining('unsupported'));
});
