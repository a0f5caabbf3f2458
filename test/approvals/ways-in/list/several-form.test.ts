import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../../src/approvals/approval.ts';
import { shownWhole } from '../../../../src/approvals/ways-in/list/home-view.ts';
import {
  type FormFacts,
  formBlocks,
  offered,
  reselected,
  rowsIn,
} from '../../../../src/approvals/ways-in/list/several-form.ts';
import type { Route } from '../../../../src/core/config/config.ts';
import { viewSchema } from '../../../support/slack-limits.ts';
import { textsOf } from '../../../support/world.ts';
import { approvalWith, NOW, routeWith } from '../../approvals.ts';

const NINE = Date.parse('2026-11-28T09:05:00Z');

function formOf(
  approvals: readonly Partial<Approval>[],
  change: Partial<Route> = {},
  timeZone = 'Europe/Zurich',
) {
  const rules = { ...routeWith(), several: true, ...change };
  const offers = approvals.map((each, at) => {
    const approval = approvalWith(each);
    const shown = shownWhole(approval, { routeNamed: () => rules });
    if (shown === undefined) throw new Error('it is not shown whole');
    return { request: { id: `0-${at}`, approval }, shown };
  });
  const facts: FormFacts = {
    ...{ user: 'U0ANA', rules },
    nameOf: (user) => (user === 'U0CLEO' ? 'Cleo' : undefined),
    timeZone,
  };
  const blocks = formBlocks(offered(offers), 0, NOW, facts);
  const view = { type: 'modal', callback_id: 'approvals.several', title: TITLE, blocks };
  expect(viewSchema.safeParse(view).error).toBeUndefined();
  return blocks;
}

const TITLE = { type: 'plain_text', text: 'Several requests' };

/** As Slack sends it. `picked`: the rows that are ticked. */
function sent(blocks: readonly object[], picked: readonly number[] = []) {
  const all = blocks.map((block, at) => ({ block_id: `b${at}`, ...block }));
  const rows = all.filter(({ block_id }) => block_id.startsWith('approvals.several.row.'));
  const values = rows.map(({ block_id }, at) => {
    const selected_options = picked.includes(at) ? [{ value: 'yes' }] : [];
    return [block_id, { 'approvals.several.pick': { selected_options } }];
  });
  const state = { values: Object.fromEntries(values) };
  const ids = { id: 'V1', hash: 'h', callback_id: 'approvals.several', private_metadata: '{}' };
  return { ...ids, blocks: all, state };
}

describe('the form for several requests', () => {
  test('fits into a modal, whatever others write', () => {
    const requester = { name: 'Somebody with a long name '.repeat(3) };
    const link = 'https://ci.example/4711';
    const long = {
      title: 'Deploy '.repeat(20).trim(),
      message: 'Ready? '.repeat(20).trim(),
      link,
      requester,
    };
    const blocks = formOf(Array.from({ length: 30 }, () => long));
    expect(rowsIn(sent(blocks))).toHaveLength(20);
    const all = reselected(sent(blocks), { value: 'all', press: 'p'.repeat(22) });
    expect(all.length).toBeLessThanOrEqual(100);
  });

  test('describes each request, with times of the reader’s time zone', () => {
    const change = { title: 'Deploy 4.2', requester: { user: 'U0CLEO' } };
    const [, row] = formOf([{ ...change, expiresAt: NINE, message: 'Ready?' }]);
    expect(textsOf(row)).toEqual(['Deploy 4.2', 'Deadline Sat 28 Nov, 10:05 · asked by Cleo']);
    const own = [{ user: 'U0ANA', action: 'approve', at: NOW } as const];
    const [, second] = formOf([{ createdAt: NINE, ballots: own }], { quorum: 2 });
    expect(textsOf(second).at(-1)).toBe('Waiting since Sat 28 Nov, 10:05 · you approved');
    const [, third] = formOf([{ createdAt: NINE }], {}, 'Mars/Olympus');
    expect(textsOf(third).at(-1)).toBe('Waiting since Sat 28 Nov, 09:05 UTC');
  });

  test('shows a title whole that is too long for its checkbox', () => {
    const title =
      'Deploy the new version of the shop to all regions, beginning with the smallest one';
    const blocks = formOf([{ title }]);
    expect(textsOf(blocks)).toContain(`*${title}*`);
    expect(rowsIn(sent(blocks))).toEqual([
      { title: expect.stringMatching(/^Deploy the new version.*…$/), isPicked: false },
    ]);
  });

  test('says how many are selected, and keeps everything else as it was read', () => {
    const blocks = formOf([{ title: 'One' }, { title: 'Two' }, { title: 'Three' }]);
    const given = sent(blocks, [0, 2]);
    const after = reselected(given);
    expect(textsOf(after)).toContain('Decision for the 2 selected');
    const kept = given.blocks.filter(({ block_id }) => block_id !== 'approvals.several.decision');
    expect(after).toEqual(expect.arrayContaining(kept));
    expect(textsOf(reselected(sent(blocks)))).toContain('Decision for the selected requests');
    expect(textsOf(reselected(sent(blocks, [0, 1, 2])))[0]).toBe('Clear selection');
  });

  test('ticks all under new ids, because Slack keeps what was entered under the same ones', () => {
    const blocks = formOf([{ title: 'One' }, { title: 'Two' }]);
    const rowIds = (of: readonly object[]) =>
      sent(of).blocks.flatMap(({ block_id }) => (block_id.includes('.row.') ? [block_id] : []));
    const first = reselected(sent(blocks, [1]), { value: 'all', press: 'p1' });
    expect(rowIds(first)).toEqual(['approvals.several.row.0_p1', 'approvals.several.row.1_p1']);
    expect(JSON.stringify(first).match(/initial_options/g)).toHaveLength(2);
    const second = reselected(sent(first, [0, 1]), { value: 'none', press: 'p2' });
    expect(rowIds(second)).toEqual(['approvals.several.row.0_p2', 'approvals.several.row.1_p2']);
    expect(JSON.stringify(second)).not.toContain('initial_options');
    expect(textsOf(second)[0]).toBe('Select all');
  });
});
