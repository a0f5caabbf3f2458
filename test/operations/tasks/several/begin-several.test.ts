import type { SectionBlock } from '@slack/types';
import { expect, it } from 'vitest';
import type { Store } from '../../../../src/core/store/store.ts';
import { viewOfSeveral } from '../../../../src/operations/tasks/several/begin-several.ts';
import { NAMED_MAX } from '../../../../src/operations/tasks/several/sentences.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { viewSchema } from '../../../support/slack-limits.ts';

const core = coreWith({
  config: { move: { source: 'push', projects: [], rules: [] } },
  service: { tasks: null },
  store: fake<Store>({ get: async () => undefined }),
});

it.each([
  ['of which none could be read', (index: number) => `OPS-${index}`],
  ['with long names that are escaped', (index: number) => `${'&'.repeat(80)}${index}`],
])('as many items as can be named, %s, stay within Slack’s limits', async (_, nameOf) => {
  const [reference = '', ...others] = Array.from({ length: NAMED_MAX }, (_, at) => nameOf(at));
  const begun = { v: 1, by: 'U0ANA', channel: 'C0', reference, others, choices: [] } as const;
  const view = await viewOfSeveral(core, begun);
  viewSchema.parse(view);
  // as: the first block is the reason
  const said = (view.blocks[0] as SectionBlock).text?.text.split('\n') ?? [];
  const [, more] = /^and (\d+) more$/.exec(said.at(-1) ?? '') ?? [];
  expect(said[0]).toBe(':warning: Not included:');
  expect(said.slice(1, -1).length + Number(more)).toBe(NAMED_MAX);
});
