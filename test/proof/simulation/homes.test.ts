import { describe, expect, test } from 'vitest';
import type {
  Evidence,
  HomeRow,
  HomeSeen,
  Press,
  ReportSeen,
  RightsChange,
} from '../../../proof/simulation/evidence.ts';
import { HomeTabs } from '../../../proof/simulation/home-tabs.ts';
import {
  AUDIT,
  approval,
  audited,
  call,
  calledBack,
  calledBackAtEnd,
  evidence,
  found,
  message,
  press,
  RECORD,
  told,
  WAITING,
} from './evidence-of.ts';

const HOME = { asked: ['U0DEV'], waitsFor: ['U0ANA', 'U0BEN', 'U0UNA'], concerns: ['U0CLEO'] };
const APPROVALS = [approval({ home: HOME })];

const text = (words: string) => ({ type: 'section', text: { type: 'mrkdwn', text: words } });
const TITLE = '*Deploy 4.2*\n';

const row = (more: Partial<HomeRow> = {}): HomeRow => ({
  section: 'waiting',
  title: 'Deploy 4.2',
  record: RECORD,
  reads: [20_000],
  decides: false,
  showsToken: false,
  blocks: [text(`${TITLE}Waiting since 09:00`)],
  ...more,
});

const seen = (rows: readonly HomeRow[], more: Partial<HomeSeen> = {}) => ({
  approvals: APPROVALS,
  homes: [
    {
      ...{ person: 'U0BEN', isAdministrator: false, from: 19_000, at: 21_000 },
      ...{ sections: ['waiting' as const], rows },
      ...more,
    },
  ],
});

const decided = (words: string) =>
  row({ section: 'decided', reads: [60_000], blocks: [text(`${TITLE}${words}`)] });
const atEnd = { from: 59_000, at: 61_000 };

test('a decided row names nobody if by the log nobody knows whose decision it was', () => {
  const said = (credit: string, words: string) =>
    found({
      ...seen([decided(`:white_check_mark: *${words}*`)], { ...atEnd, person: 'U0DEV' }),
      audit: [
        ...AUDIT.slice(0, 3),
        audited('approvals.outcome', 'gatepost', { status: 'APPROVED', credit }),
      ],
    });
  const WRONG = 'Home, decided: it did not leave open who decided';
  expect(said('sent', 'Approved by <@U0ANA>')).toContain(WRONG);
  expect(said('sent', 'Approved')).not.toContain('Home');
  expect(said('none', 'Approved')).toContain(WRONG);
  expect(said('none', 'Approved elsewhere')).not.toContain(WRONG);
  expect(said('certain', 'Approved by <@U0ANA>')).not.toContain('Home');
});

describe('the checker of “Waiting for you” on the Home tab', () => {
  test('goes by the time when the list was read, not when it was published', () => {
    expect(found(seen([row()]))).toBe('');
    expect(found(seen([row()], { at: 60_000 }))).toBe('');
    expect(found(seen([row({ reads: [42_000] })]))).toBe('false Home, waiting: it was over');
    // It was read more than once, for others too.
    expect(found(seen([row({ reads: [20_000, 42_000] })]))).toBe('');
    expect(found(seen([row({ reads: [] })]))).toBe(
      'false Home, waiting: it was shown, and had not been read for that',
    );
  });

  test('does not count a request as ended if the store had lost the end', () => {
    const lapses = [{ from: 39_000, at: 41_900, keptAcknowledged: false }];
    const late = seen([row({ reads: [42_000] })], { at: 42_100 });
    expect(found({ ...late, lapses })).not.toContain('Home');
  });

  test('counts a request as ended if only a receiver of callbacks was told', () => {
    const approvals = [approval({ home: HOME, isCalledBack: true })];
    const callbacks = [calledBack(), calledBackAtEnd({ at: 40_600 })];
    const read = (at: number) => ({ ...seen([row({ reads: [at] })]), approvals, callbacks });
    expect(found(read(40_800))).toBe('false Home, waiting: it was over');
    expect(found(read(40_500))).toBe('');
  });

  test('reports a request that was not completely posted by then', () => {
    expect(found(seen([row({ reads: [9_900] })]))).toBe(
      'false Home, waiting: it was not posted whole',
    );
    const approvals = [approval({ home: HOME, message: 'Version 4.2, for all' })];
    expect(found({ ...seen([row()]), approvals })).toBe(
      'false Home, waiting: it was not posted whole',
    );
    const [, outcome] = evidence().messages;
    const whole = [
      message([
        [10_000, `${WAITING}\nVersion 4.2, for all`],
        [41_000, ':white_check_mark: *Approved by <@U0ANA>* · just now'],
      ]),
      ...(outcome === undefined ? [] : [outcome]),
    ];
    expect(found({ ...seen([row()]), approvals, messages: whole })).toBe('');
    // Of another record of the same request.
    expect(found(seen([row({ record: 'r0' })]))).toBe(
      'false Home, waiting: it was not posted whole',
    );
  });

  test('reports a request that is being decided', () => {
    const calls = [
      call({ operation: 'read', at: 39_000, action: null, serviceUser: null }),
      call({ sentAt: 38_000 }),
    ];
    const approvals = [approval({ home: HOME, calls })];
    const read = (at: number) => ({ ...seen([row({ reads: [at] })]), approvals });
    expect(found(read(39_000))).toBe('false Home, waiting: a decision on it was on its way');
    expect(found(read(37_900))).toBe('');
  });

  test('reports a request whose decision may have reached the service', () => {
    const read = (at: number, status: number) => {
      const calls = [call({ sentAt: 30_500, at: 30_510, status })];
      return { ...seen([row({ reads: [at] })]), approvals: [approval({ home: HOME, calls })] };
    };
    const onItsWay = 'Home, waiting: a decision on it was on its way';
    expect(found(read(36_000, 500))).toContain(onItsWay);
    expect(found(read(36_000, 403))).not.toContain(onItsWay);
    expect(found(read(40_800, 500))).not.toContain(onItsWay);
  });

  test('reports a request that the viewer cannot decide, as far as Slack tells', () => {
    const of = (person: string, rights: readonly RightsChange[] = []) =>
      found({ ...seen([row()], { person }), rights: [...evidence().rights, ...rights] });
    const notTheirs = 'false Home, waiting: it was not theirs to decide';
    const una = { person: 'U0UNA', can: false, serviceUser: null };
    expect(of('U0UNA', [{ ...una, at: 0, inSlack: true }])).toBe('');
    expect(of('U0UNA', [{ ...una, at: 0, inSlack: false }])).toBe(notTheirs);
    // Who asked for it, and a stranger.
    expect(of('U0DEV', [{ ...una, person: 'U0DEV', at: 0, inSlack: true }])).toBe(notTheirs);
    expect(of('U0CLEO', [{ ...una, person: 'U0CLEO', at: 0, inSlack: true }])).toBe(notTheirs);
  });

  test('accepts a request for a minute or two after the viewer lost the right', () => {
    const left = { at: 10_000, person: 'U0BEN', can: false, serviceUser: 'ben' };
    const late = { from: 150_000, at: 151_000 };
    const open = { ...seen([row()]), rights: [...evidence().rights, left] };
    expect(found(open)).toBe('');
    expect(found({ ...open, ...seen([row()], late), rights: open.rights })).toBe(
      'false Home, waiting: it was not theirs to decide',
    );
  });

  test('reports “You approved” for somebody who had not', () => {
    const blocks = [text(`${TITLE}You approved, waiting for 1 more`)];
    const said = seen([row({ blocks })]);
    const what = 'false Home, waiting: it said that they had approved';
    expect(found(said)).toBe(what);
    const presses = [press(), press({ person: 'U0BEN', at: 15_000, acknowledgedAt: 15_100 })];
    const counted = told('Your approval of <it> counts.', { person: 'U0BEN', at: 15_500 });
    expect(found({ ...said, presses, told: [counted] })).not.toContain(what);
    // With another account of theirs.
    const second = { at: 0, person: 'U0BEN2', can: true, serviceUser: 'ben' };
    const by = [press(), press({ person: 'U0BEN2', at: 15_000, acknowledgedAt: 15_100 })];
    const rights = [...evidence().rights, second];
    expect(found({ ...said, presses: by, told: [counted], rights })).not.toContain(what);
  });

  test('reports buttons for a request that is not shown in full', () => {
    const approvals = [approval({ home: HOME, message: 'Version 4.2' })];
    const what = 'false Home, waiting: it could be decided where not all of it was shown';
    const of = (more: Partial<HomeRow>) => found({ ...seen([row(more)]), approvals });
    expect(of({ decides: true })).toContain(what);
    const blocks = [text(`${TITLE}Waiting`), { type: 'rich_text', text: 'Version 4.2' }];
    expect(of({ decides: true, blocks })).not.toContain(what);
  });

  test('accepts a request decided in place of somebody, even if another account of that person asked for it', () => {
    const named = { from: 1_000, to: 90_000, surelyFrom: 1_500, surelyTo: 80_000 };
    const absences = [
      { person: 'U0ANA', substitute: null, ...named },
      { person: 'U0ANA', substitute: 'U0CLEO', ...named },
    ];
    const said = (waitsFor: readonly string[]) =>
      found({
        ...seen([row()], { person: 'U0CLEO' }),
        approvals: [
          approval({
            ...{ effects: [], calls: [], announced: [] },
            ...{ home: { ...HOME, waitsFor }, substitutes: true },
            ...{ reviewers: ['U0BEN'], askers: ['U0ANA', 'U0DEV'] },
          }),
        ],
        ...{ messages: [message([[10_000, WAITING]])], presses: [], audit: null, absences },
        told: [
          told('You stand in for Ana: they named you as substitute.', {
            person: 'U0CLEO',
            at: 2_000,
          }),
        ],
      });
    expect(said(['U0ANA', 'U0BEN'])).toBe('');
    expect(said(['U0BEN'])).toBe('false Home, waiting: it was not theirs to decide');
  });
});

test('the checker of the Home tab requires the outcome, its people and a viewer concerned by it', () => {
  const cleo = { at: 0, person: 'U0CLEO', can: true, serviceUser: 'cleo' };
  const of = (words: string, person = 'U0CLEO') => {
    const more = { ...atEnd, person, sections: ['decided' as const] };
    return found({
      ...seen([decided(words)], more),
      rights: [...evidence().rights, cleo],
    });
  };
  expect(of(':white_check_mark: *Approved by <@U0ANA>* · 09:00')).toBe('');
  expect(of(':white_check_mark: *Approved by <@U0ANA>* · 09:00', 'U0DEV')).toBe('');
  expect(of(':x: *Rejected* · 09:00')).toBe(
    'false Home, decided: it said REJECTED when it was APPROVED',
  );
  expect(of(':white_check_mark: *Approved by <@U0BEN>* · 09:00')).toContain(
    'it said that U0BEN did it, when it was done by U0ANA',
  );
  expect(of(':white_check_mark: *Approved elsewhere* · 09:00')).toContain('done elsewhere');
  expect(of('09:00')).toBe('false Home, decided: it did not say how it ended');
  expect(of(':white_check_mark: *Approved by <@U0ANA>*', 'U0ANA')).toBe(
    'false Home, decided: it was none of theirs',
  );
});

test('the checker of the Home tab reports an outcome shown too early', () => {
  const early = { ...decided(':white_check_mark: *Approved by <@U0ANA>*'), reads: [39_500] };
  expect(found(seen([early], { ...atEnd, person: 'U0DEV' }))).toBe(
    'false Home, decided: it said APPROVED when it was PENDING',
  );
});

test('the checker of the Home tab accepts another outcome of an own gate before the store went back', () => {
  const rejected = { ...decided(':x: *Rejected*'), reads: [40_800] };
  const lapses = [{ from: 40_500, at: 41_000, keptAcknowledged: false }];
  const shown = seen([rejected], { ...atEnd, person: 'U0DEV' });
  const what = 'it said REJECTED when it was APPROVED';
  const own = [approval({ authority: 'gatepost', home: HOME, effects: [], calls: [] })];
  expect(found({ ...shown, approvals: own })).toContain(what);
  expect(found({ ...shown, approvals: own, lapses })).not.toContain(what);
  expect(found({ ...shown, lapses })).toContain(what);
});

test('the checker of the Home tab requires own requests to be the viewer’s, and open', () => {
  const own = row({ section: 'asked' });
  expect(found(seen([own], { person: 'U0DEV' }))).toBe('');
  expect(found(seen([own]))).toBe('false Home, asked: they had not asked for it');
  expect(found(seen([{ ...own, reads: [43_000] }], { person: 'U0DEV' }))).toBe(
    'false Home, asked: it was over',
  );
});

test('the checker of the Home tab reports what waits for others, unless shown to administrators', () => {
  const all = row({ section: 'all', record: null, reads: null });
  const shown = { sections: ['all' as const] };
  expect(found(seen([all], { ...shown, isAdministrator: true }))).toBe('');
  expect(found(seen([all], shown))).toBe(
    [
      'false Home, all: they were no administrator',
      'false who is no administrator saw everything that waits',
    ].join('\n'),
  );
  const late = { ...shown, isAdministrator: true, from: 42_000, at: 43_000 };
  expect(found(seen([all], late))).toBe('false Home, all: it was over');
});

test('the checker of the Home tab reports a visible token', () => {
  expect(found(seen([row({ showsToken: true })]))).toBe(
    'false Home, waiting: its token could be read',
  );
});

describe('the checker of the Home tab on which work was approved', () => {
  const WRONG = 'the Home tab on which it was approved was not published after its result';
  const ended = { answeredAt: 100_500, status: 200, detail: null, claim: null } as const;
  const report = { ...ended, at: 100_000, state: 'succeeded' } as const;
  const atHome = press({ isElsewhere: true });

  function said(
    publishedAt: number | null,
    reports: readonly ReportSeen[] = [report],
    more: Partial<Evidence> = {},
  ): string {
    const home = { person: 'U0ANA', isAdministrator: false, sections: [], rows: [] };
    const homes = publishedAt === null ? [] : [{ ...home, from: publishedAt, at: publishedAt }];
    return found({ approvals: [approval({ reports })], presses: [atHome], homes, ...more });
  }

  test('reports one that was not published again', () => {
    expect(said(null)).toContain(WRONG);
    expect(said(99_000)).toContain(WRONG);
    expect(said(162_000)).toContain(WRONG);
    expect(said(150_000)).not.toContain(WRONG);
  });

  test('counts from the first report that may have been taken', () => {
    const lost = { ...report, at: 90_000, answeredAt: null, status: null };
    expect(said(91_000, [lost, report])).not.toContain(WRONG);
    expect(said(91_000, [{ ...lost, status: 409 }, report])).toContain(WRONG);
    expect(said(91_000, [{ ...lost, state: 'running' }, report])).toContain(WRONG);
    expect(said(null, [lost])).not.toContain(WRONG);
  });

  test('accepts one if its person did not approve it there, or anywhere else', () => {
    const of = (...presses: readonly Press[]) => said(null, [report], { presses });
    expect(of(press())).not.toContain(WRONG);
    expect(of(atHome, press({ at: 31_000 }))).not.toContain(WRONG);
    expect(of(press(), { ...atHome, person: 'U0BEN' })).not.toContain(WRONG);
    // Another account of hers.
    const second = { at: 0, person: 'U0ANA2', can: true, serviceUser: 'ana' };
    const presses = [press(), { ...atHome, person: 'U0ANA2' }];
    const rights = [...evidence().rights, second];
    expect(said(null, [report], { presses, rights })).not.toContain(WRONG);
    const takeBacks = [press({ at: 35_000 })];
    expect(said(null, [report], { takeBacks })).not.toContain(WRONG);
    // Its answer was lost, and it may have been approved elsewhere.
    const audit = evidence().audit?.map((each) => ({
      ...each,
      facts: each.facts.credit === undefined ? each.facts : { ...each.facts, credit: 'sent' },
    }));
    expect(said(null, [report], { audit: audit ?? null })).not.toContain(WRONG);
  });

  test('accepts one if its person has left, or it could not be stored or published', () => {
    const gone = { at: 90_000, person: 'U0ANA', can: false, gone: true, serviceUser: 'ana' };
    const rights = [...evidence().rights, gone];
    expect(said(null, [report], { rights })).not.toContain(WRONG);
    const lapses = [{ from: 99_000, at: 101_000, keptAcknowledged: false }];
    expect(said(null, [report], { lapses })).not.toContain(WRONG);
    const during = (what: string) =>
      said(null, [report], { interruptions: [{ from: 95_000, to: 99_000, what }] });
    expect(during('the store is away')).not.toContain(WRONG);
    expect(during('the receiver of callbacks is away')).toContain(WRONG);
  });
});

describe('the recorder of the Home tab', () => {
  const HELD = { record: { id: 'h1', kind: 'home', data: '{"user":"U0BEN"}' } };
  const LISTED = { entries: [{ record: { id: RECORD } }] };
  const button = (action_id: string) => ({ type: 'button', action_id, value: `${RECORD} C1 x A` });
  const BLOCKS = [
    { type: 'actions', elements: [{ action_id: 'approvals.home.refresh', value: '{}' }] },
    { type: 'divider' },
    { type: 'header', text: { type: 'plain_text', text: 'Waiting for you · 1+' } },
    text('*<https://x.example.com/p1|Gate g1>*\nWaiting since 09:00'),
    text('Please look at g1: secret-token'),
    {
      type: 'actions',
      elements: [button('approvals.ballot.approve'), button('approvals.review')],
    },
    { type: 'context', elements: [{ type: 'mrkdwn', text: 'More' }] },
    { type: 'divider' },
    { type: 'header', text: { type: 'plain_text', text: 'Other open requests' } },
    text('*Gate g2*\nWaiting since 09:00'),
    { type: 'actions', elements: [{ action_id: 'approvals.home.more', value: '{}' }] },
  ];

  function stage() {
    const clock = { at: 0 };
    const tabs = new HomeTabs(
      () => clock.at,
      (record) => (record === RECORD ? 'secret-token' : ''),
    );
    const stored = (at: number, replica: string, name: string, answer: object) => {
      clock.at = at;
      tabs.stored(replica, name, [{ id: 'h1' }], answer);
    };
    const published = (at: number, sentAt: number, replica = 'one') => {
      clock.at = at;
      tabs.published(replica, 'U0BEN', sentAt, BLOCKS);
      return tabs.all.at(-1)?.rows[0]?.reads;
    };
    return { tabs, stored, published };
  }

  test('records each row and what can be done there', () => {
    const { tabs, stored, published } = stage();
    stored(1_000, 'one', 'claim', { held: [HELD] });
    stored(1_500, 'one', 'list', LISTED);
    published(2_500, 2_000);
    const [home] = tabs.all;
    expect(home).toMatchObject({ person: 'U0BEN', from: 1_000, at: 2_500 });
    expect(home?.sections).toEqual(['waiting', 'all']);
    expect(home?.rows.map(({ blocks, ...each }) => [each, blocks.length])).toEqual([
      [
        {
          ...{ section: 'waiting', title: 'Gate g1', record: RECORD, reads: [1_500] },
          ...{ decides: true, showsToken: true },
        },
        3,
      ],
      [
        {
          ...{ section: 'all', title: 'Gate g2', record: null, reads: null },
          ...{ decides: false, showsToken: false },
        },
        2,
      ],
    ]);
  });

  test('assigns reads of this process between receiving the record and publishing it', () => {
    const { stored, published } = stage();
    stored(500, 'one', 'list', LISTED);
    stored(1_000, 'one', 'claim', { held: [HELD] });
    stored(1_200, 'other', 'list', LISTED);
    stored(1_400, 'one', 'list', { entries: [{ record: { id: 'r9' } }] });
    expect(published(2_500, 2_000)).toEqual([]);
    stored(3_000, 'one', 'save', { kind: 'saved', released: true });
    stored(4_000, 'one', 'signal', { kind: 'leased', held: HELD });
    stored(4_100, 'one', 'list', LISTED);
    stored(9_000, 'one', 'list', LISTED);
    // It stood still, or its request did.
    expect(published(30_000, 5_000)).toEqual([4_100]);
    expect(published(30_000, 10_000)).toEqual([4_100, 9_000]);
  });

  test('assigns reads made before the process lost its lease', () => {
    const { stored, published } = stage();
    stored(1_000, 'one', 'claim', { held: [HELD] });
    stored(1_100, 'one', 'list', LISTED);
    stored(20_000, 'one', 'claim', { held: [HELD] });
    expect(published(20_200, 20_100)).toEqual([1_100]);
    // Of the two, which one ends is not to be seen.
    stored(21_000, 'one', 'save', { kind: 'lost' });
    expect(published(22_000, 21_500)).toEqual([1_100]);
  });
});
