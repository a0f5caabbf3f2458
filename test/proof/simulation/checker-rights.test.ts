import { describe, expect, test } from 'vitest';
import { check } from '../../../proof/simulation/checker.ts';
import type { Evidence } from '../../../proof/simulation/evidence.ts';
import {
  AUDIT,
  approval,
  audited,
  call,
  effect,
  evidence,
  message,
  press,
  told,
  WAITING,
} from './evidence-of.ts';

/** Who decides: each rule, with what breaks it and what only looks like it. */

const found = (more: Partial<Evidence>) =>
  check(evidence(more))
    .map(({ kind, what }) => `${kind} ${what}`)
    .join('\n');

/** Ana has a second account. */
const RIGHTS: Evidence['rights'] = [
  { at: 0, person: 'U0ANA', can: true, serviceUser: 'ana' },
  { at: 0, person: 'U0ANA2', can: true, serviceUser: 'ana' },
  { at: 0, person: 'U0BEN', can: true, serviceUser: 'ben' },
];
const reviewers = ['U0ANA', 'U0ANA2', 'U0BEN'];
const SHOWN = 'Approved by <@U0ANA>';
const showing = (words: string, blocks: readonly unknown[] = []) => {
  const { versions, ...rest } = message([
    [10_000, WAITING],
    [41_000, `:white_check_mark: *${words}* · just now`],
  ]);
  const last = versions.at(-1);
  const shown = last && { ...last, blocks: [...last.blocks, ...blocks] };
  return [
    { ...rest, versions: [...versions.slice(0, 1), ...(shown ? [shown] : [])] },
    message([[41_500, ':white_check_mark: *Approved* after 30 s']], {
      post: 'outcome-thread',
      ts: '41.500000',
    }),
  ];
};

describe('the checker of a decision by somebody who was taken off its route', () => {
  const WRONG = 'after the rules had taken somebody off its route';

  /** Ana is taken off it at that time, and her approval is sent at 40 s. */
  function sentAfter(changedAt: number, more: Partial<Evidence> = {}): string {
    const off = { at: changedAt, person: 'U0ANA', can: false, approval: 'A1', serviceUser: 'ana' };
    const rights = [...evidence().rights, off];
    return found({ reloads: [changedAt], rights, ...more });
  }

  test('reports one that was sent for them', () => {
    expect(sentAfter(38_000)).toContain(WRONG);
    expect(sentAfter(39_600)).toContain(WRONG);
    // It may have been noted before.
    expect(sentAfter(39_800)).toBe('');
    expect(sentAfter(38_000, { reloads: [] })).toBe('');
    expect(sentAfter(38_000, { rights: evidence().rights })).toBe('');
  });

  test('accepts one with others, or if they were back by then', () => {
    const presses = [press(), press({ person: 'U0BEN', at: 31_000 })];
    const bens = [approval({ calls: [call({ serviceUser: 'ben' })] })];
    expect(sentAfter(38_000, { presses, approvals: bens })).not.toContain(WRONG);
    expect(sentAfter(38_000, { presses })).toContain(WRONG);
    const two = [approval({ quorum: 2, calls: [call({ serviceUser: 'ben' })] })];
    expect(sentAfter(38_000, { presses, approvals: two })).toContain(WRONG);
    const ana = { person: 'U0ANA', approval: 'A1', serviceUser: 'ana' };
    const back = [
      { ...ana, at: 38_000, can: false },
      { ...ana, at: 39_000, can: true },
    ];
    expect(sentAfter(38_000, { rights: [...evidence().rights, ...back] })).not.toContain(WRONG);
  });

  test('accepts one of a process that stood still, or could not note it at once', () => {
    const during = (what: string) =>
      sentAfter(38_000, { interruptions: [{ from: 37_000, to: 39_000, what }] });
    expect(during('bot-1 stands still')).not.toContain(WRONG);
    expect(during('the store is away')).not.toContain(WRONG);
    expect(during('the receiver of callbacks is away')).toContain(WRONG);
    const slow = (record: string) => sentAfter(38_000, { delays: [{ record, at: 38_500 }] });
    expect(slow('r1')).not.toContain(WRONG);
    expect(slow('r2')).toContain(WRONG);
    const lapses = [{ from: 38_500, at: 39_000, keptAcknowledged: true }];
    expect(sentAfter(38_000, { lapses })).not.toContain(WRONG);
  });
});

describe('the checker counts a person once', () => {
  const presses = [press(), press({ person: 'U0ANA2', at: 31_000 })];
  const progress = told('Your approval of <it> counts: 1 of 2.', { at: 31_500 });
  const once = { told: [progress, { ...progress, person: 'U0ANA2' }], rights: RIGHTS };

  test('whichever of their accounts they press with', () => {
    const approvals = [approval({ quorum: 2, reviewers })];
    expect(found({ approvals, presses, ...once })).toContain(
      'false it was approved with 1 of 2 approvals',
    );
    const withBen = [...presses, press({ person: 'U0BEN', at: 32_000 })];
    const all = [...once.told, { ...progress, person: 'U0BEN', at: 32_500 }];
    expect(found({ approvals, presses: withBen, ...once, told: all })).toBe('');
  });

  test('for an own gate too', () => {
    const own = approval({ authority: 'gatepost', quorum: 2, reviewers, effects: [], calls: [] });
    const by = (people: string) => [
      ...AUDIT.slice(0, 2),
      audited('approvals.ballot', 'U0ANA2', { action: 'approve' }),
      audited('approvals.outcome', people, { status: 'APPROVED', credit: 'certain' }),
    ];
    const seen = { approvals: [own], presses, messages: showing(SHOWN), ...once };
    expect(found({ ...seen, audit: by('U0ANA,U0ANA2') })).toContain(
      'false it was APPROVED by U0ANA, U0ANA2, of whom 1 of 2 decided in time',
    );
    const one = { ...seen, approvals: [{ ...own, quorum: 1 }] };
    expect(found({ ...one, audit: by('U0ANA') })).toBe('');
    const late = [{ ...own, quorum: 1, deadlineAt: 29_000 }];
    expect(found({ ...seen, approvals: late, audit: by('U0ANA') })).toContain('decided in time');
  });

  test('and accepts any of their accounts as the author of the outcome', () => {
    const seen = { approvals: [approval({ reviewers })], rights: RIGHTS };
    const second = [press({ person: 'U0ANA2' })];
    const messages = showing('Approved by <@U0ANA2>');
    const audit = [
      ...AUDIT.slice(0, 1),
      ...['approvals.ballot', 'approvals.respond'].map((each) =>
        audited(each, 'U0ANA2', { action: 'approve' }),
      ),
      audited('approvals.outcome', 'U0ANA2', { status: 'APPROVED' }),
    ];
    expect(found({ ...seen, presses: second, messages, audit })).toBe('');
    // But not of one who did not press.
    expect(found({ ...seen, presses: second, audit })).toContain('that U0ANA did it, who did not');
  });
});

test('the checker reports a decision by the requester, under any of their ids', () => {
  const seen = { approvals: [approval({ reviewers: ['U0BEN'] })], rights: RIGHTS };
  expect(found(seen)).toContain('false approve was carried out for somebody who could not decide');
});

describe('the checker reports a decision by somebody who lost the right before the last authorization', () => {
  const lost = (at: number, person = 'U0ANA') => [
    ...RIGHTS,
    { at, person, can: false, serviceUser: person === 'U0BEN' ? 'ben' : 'ana' },
  ];
  const what = 'false approve was sent for people of whom';

  test('however soon after the press they lost it', () => {
    const approvals = [approval({ reviewers: ['U0ANA', 'U0BEN'] })];
    // Sent at 40 s; 12 s is how long a check may count.
    expect(found({ approvals, rights: lost(27_000) })).toContain(
      'could not decide since the press',
    );
    const early = [press({ at: 20_000, acknowledgedAt: 20_100 })];
    expect(found({ approvals, presses: early, rights: lost(27_000) })).toContain(
      `${what} 0 of 1 could still decide`,
    );
    expect(found({ approvals, presses: early, rights: lost(29_000) })).toBe('');
  });

  test('and does not count them towards a quorum', () => {
    const approvals = [approval({ quorum: 2, reviewers: ['U0ANA', 'U0BEN'] })];
    const presses = [press(), press({ person: 'U0BEN', at: 20_000, acknowledgedAt: 20_100 })];
    const progress = told('Your approval of <it> counts: 1 of 2.', { person: 'U0BEN', at: 20_500 });
    const seen = { approvals, presses, told: [progress] };
    expect(found({ ...seen, rights: lost(25_000, 'U0BEN') })).toContain(
      `${what} 1 of 2 could still decide`,
    );
    expect(found({ ...seen, rights: lost(35_000, 'U0BEN') })).toBe('');
  });

  test('unless the process was paused, or its clock was changed', () => {
    const early = [press({ at: 20_000, acknowledgedAt: 20_100 })];
    const seen = { presses: early, rights: lost(27_000) };
    const during = (words: string) =>
      found({ ...seen, interruptions: [{ from: 30_000, to: 39_000, what: words }] });
    expect(during('bot-1 stands still')).toBe('');
    expect(during('clock of bot-1 is off by 9000 ms')).toBe('');
    expect(during('bot-1 is killed')).toContain(what);
  });
});

test('the checker accepts a refusal of somebody who may be the requester', () => {
  const refused = told('Your decision on <it> does not count. You are not a reviewer.', {
    person: 'U0BEN',
  });
  const seen = { presses: [press(), press({ person: 'U0BEN' })], told: [refused] };
  expect(found(seen)).toContain('that they cannot decide, when they could');
  expect(found({ ...seen, approvals: [approval({ mayBeRefused: ['U0BEN'] })] })).toBe('');
});

describe('the checker requires a reason to be shown with its author', () => {
  const text = 'Tested twice';
  const reasons = [{ person: 'U0ANA', action: 'approve', text } as const];
  const quoted = (person: string | null) => ({
    type: 'rich_text',
    elements: [
      ...(person === null
        ? []
        : [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'user', user_id: person },
                { type: 'text', text: ':' },
              ],
            },
          ]),
      { type: 'rich_text_quote', elements: [{ type: 'text', text }] },
    ],
  });
  const seen = { approvals: [approval({ reasons })], presses: [press()] };

  test('if one person is named, and if each is', () => {
    for (const person of [null, 'U0ANA']) {
      expect(found({ ...seen, messages: showing(SHOWN, [quoted(person)]) })).toBe('');
    }
    const linked = { type: 'link', url: 'https://x.example.com/team/U0ANA', text: 'Ana' };
    const block = { ...quoted('U0ANA') };
    const [name, quote] = block.elements;
    const elements = [{ ...name, elements: [linked] }, quote];
    expect(found({ ...seen, messages: showing(SHOWN, [{ ...block, elements }]) })).toBe('');
  });

  test('and not with anybody else, or with the opposite outcome', () => {
    const said = `false message in C1 said “${text}”, which U0ANA wrote`;
    expect(found({ ...seen, messages: showing(SHOWN, [quoted('U0BEN')]) })).toContain(said);
    const byBen = {
      approvals: [
        approval({
          reasons,
          effects: [effect({ serviceUser: 'ben' })],
          calls: [call({ serviceUser: 'ben' })],
        }),
      ],
      presses: [press({ person: 'U0BEN' })],
      audit: null,
    };
    const messages = showing('Approved by <@U0BEN>', [quoted(null)]);
    expect(found({ ...byBen, messages })).toContain(said);
    const other = [{ person: 'U0ANA', action: 'reject', text } as const];
    const opposite = { ...seen, approvals: [approval({ reasons: other })] };
    expect(found({ ...opposite, messages: showing(SHOWN, [quoted(null)]) })).toContain(said);
  });
});
