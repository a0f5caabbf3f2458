import { describe, expect, test } from 'vitest';
import { check, tally } from '../../../proof/simulation/checker.ts';
import type {
  CallbackSeen,
  Evidence,
  MessageSeen,
  OperationSeen,
  Version,
} from '../../../proof/simulation/evidence.ts';
import { storyOf } from '../../../proof/simulation/story.ts';
import {
  AUDIT,
  approval,
  audited,
  call,
  calledBack,
  calledBackAtEnd,
  effect,
  evidence,
  found,
  message,
  press,
  told,
  WAITING,
  wrongIn,
} from './evidence-of.ts';

const APPROVED = ':white_check_mark: *Approved by <@U0ANA>* · just now';
const THREAD = message([[41_500, ':white_check_mark: *Approved* after 30 s']], {
  post: 'outcome-thread',
  ts: '41.500000',
});
const showing = (...said: (readonly [number, string])[]) => [
  message([[10_000, WAITING], ...said]),
  THREAD,
];
const pending = { effects: [], calls: [], announced: [] };
const OPEN: Partial<Evidence> = {
  approvals: [approval(pending)],
  messages: [message([[10_000, WAITING]])],
  audit: AUDIT.slice(0, 1),
};
const read = (at: number) => call({ operation: 'read', at, action: null, serviceUser: null });

test('the checker finds nothing wrong in a correct run', () => {
  expect(wrongIn({})).toEqual([]);
  expect(wrongIn({ ...OPEN, presses: [] })).toEqual([]);
  expect(tally(check(evidence()))).toEqual({ lost: 0, double: 0, false: 0, unanswered: 0 });
});

describe('the checker reports as lost', () => {
  test('an accepted token without a message', () => {
    const more = { ...OPEN, presses: [], messages: [], audit: null };
    expect(wrongIn(more)).toEqual(['lost it was accepted, and there is no message']);
    const refused = approval({
      ...pending,
      intake: [{ at: 1, answeredAt: 2, status: 503, record: null }],
    });
    expect(wrongIn({ ...more, approvals: [refused] })).toEqual([]);
    expect(
      wrongIn({
        ...more,
        approvals: [approval({ ...pending, withdrawals: [{ at: 9_300, answeredAt: 9_400 }] })],
      }),
    ).toEqual([]);
  });

  test('a decided request whose message was deleted, but not a pending one', () => {
    const deletedIn = (deletedAt: number, all: ReturnType<typeof showing>) =>
      all.map((each, at) => (at === 0 ? { ...each, deletedAt } : each));
    const messages = (...all: ReturnType<typeof showing>) => deletedIn(35_000, all);
    expect(wrongIn({ messages: messages(...showing()) })).toEqual([
      'lost it was accepted, and there is no message',
    ]);
    expect(wrongIn({ ...OPEN, presses: [], messages: messages(...showing()).slice(0, 1) })).toEqual(
      [],
    );
    // Nor one that had told everything.
    const told = deletedIn(43_000, showing([41_000, APPROVED]));
    expect(wrongIn({ messages: told })).toEqual([]);
    // What is announced elsewhere is still to be.
    const announced = ['outcome-thread', 'outcome-requester'];
    const approvals = [approval({ announced })];
    expect(wrongIn({ approvals, messages: told })).toEqual([
      'lost outcome-requester was never posted',
    ]);
    // It is not the message itself that was deleted.
    const thread = message([[41_500, ':white_check_mark: *Approved* after 30 s']], {
      ...{ post: 'outcome-thread', ts: '41.500000' },
    });
    expect(wrongIn({ messages: [{ ...thread, deletedAt: 43_000 }] })).toContain(
      'lost it was accepted, and there is no message',
    );
  });

  test('a request that the store lost, unless the store could not have kept it', () => {
    const more = { ...OPEN, presses: [], messages: [], audit: null };
    const lapse = { from: 9_000, at: 9_500, keptAcknowledged: false };
    expect(wrongIn({ ...more, lapses: [lapse] })).toEqual([]);
    expect(found({ ...more, lapses: [{ ...lapse, keptAcknowledged: true }] })).toContain('lost');
    expect(found({ ...more, lapses: [{ ...lapse, from: 9_300 }] })).toContain('lost');
  });

  test('an outcome that its message does not show', () => {
    const unsaid = 'lost it is APPROVED, and its message does not say so';
    expect(wrongIn({ messages: showing() })).toEqual([unsaid]);
    // A change that came too late, and nobody noted that it did.
    const at = 91_000;
    const main = message([
      [10_000, WAITING],
      [at, WAITING],
    ]);
    const sent = (version: Version) => ({ ...version, sentAt: Math.min(version.at, 50_000) });
    const versions = main.versions.map(sent);
    const late = [{ ...main, versions }, THREAD];
    const killed = (from: number) => [{ from, to: from + 900, what: 'bot-1 is killed' }];
    expect(wrongIn({ messages: late })).toContain(unsaid);
    expect(wrongIn({ messages: late, interruptions: killed(at - 100) })).toContain(unsaid);
    expect(wrongIn({ messages: late, interruptions: killed(at + 100) })).not.toContain(unsaid);
    expect(wrongIn({ messages: showing(), interruptions: killed(at + 100) })).toContain(unsaid);
    const lapses = [{ from: at - 100, at: at + 900, keptAcknowledged: true }];
    expect(wrongIn({ messages: late, lapses })).not.toContain(unsaid);
  });

  test('the text of a request, if its message folds before the thread has it', () => {
    const quote = (text: string) => ({
      type: 'rich_text',
      elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text }] }],
    });
    const asked = (each: MessageSeen, ...at: number[]): MessageSeen => ({
      ...each,
      versions: each.versions.map((version, place) =>
        at.includes(place)
          ? { ...version, blocks: [...version.blocks, quote('Deploy it?')] }
          : version,
      ),
    });
    const [main, thread] = showing([41_000, APPROVED], [71_000, APPROVED]);
    if (main === undefined || thread === undefined) throw new Error('there are two messages');
    const metadata = { record: 'r1', post: 'outcome-request' };
    const reply = asked(
      { ...thread, versions: thread.versions.map((each) => ({ ...each, metadata })) },
      0,
    );
    const approvals = [approval({ announced: ['outcome-request'] })];
    const judged = (...messages: MessageSeen[]) => wrongIn({ approvals, messages });
    const wrong = ['false neither its message nor its thread says any more what was asked'];
    expect(judged(asked(main, 0, 1), reply)).toEqual([]);
    const late = { ...reply, versions: reply.versions.map((each) => ({ ...each, at: 80_000 })) };
    expect(judged(asked(main, 0, 1), late)).toEqual(wrong);
    expect(judged(asked(main, 0), reply)).toEqual(wrong);
    // Only the service has it, and the store forgot it.
    const lapses = [{ from: 9_500, at: 12_000, keptAcknowledged: true }];
    const read = call({ operation: 'read', at: 39_000, action: null, serviceUser: null });
    const forgotten = (heard: boolean, more: object = {}, again: Evidence['lapses'] = []) => {
      const calls = [{ ...read, heard }, call()];
      const asks = [approval({ announced: ['outcome-request'], calls, ...more })];
      const all = [...lapses, ...again];
      return wrongIn({ approvals: asks, messages: [asked(main, 0), reply], lapses: all });
    };
    expect(forgotten(false)).toEqual([]);
    expect(forgotten(true)).toEqual(wrong);
    // And what was read of it.
    const twice = (from: number) =>
      forgotten(true, {}, [{ from, at: from + 400, keptAcknowledged: true }]);
    expect(twice(39_500)).toEqual([]);
    expect(twice(43_000)).toEqual(wrong);
    expect(forgotten(false, { message: 'Deploy it?' })).toEqual(wrong);
    // What was about to be sent, or was sent before, arrives after it.
    const arriving = (sentAt: number) => {
      const first = { ...main, versions: main.versions.map((each) => ({ ...each, sentAt })) };
      const calls = [{ ...read, heard: false }, call()];
      const asks = [approval({ announced: ['outcome-request'], calls })];
      const early = [{ from: 9_000, at: 9_900, keptAcknowledged: true }];
      return wrongIn({ approvals: asks, messages: [asked(first, 0), reply], lapses: early });
    };
    expect(arriving(9_800)).toEqual([]);
    expect(arriving(9_950)).toEqual([]);
    expect(arriving(12_000)).toEqual(wrong);
  });

  test('an outcome that was not announced', () => {
    expect(wrongIn({ messages: showing([41_000, APPROVED]).slice(0, 1) })).toEqual([
      'lost outcome-thread was never posted',
    ]);
    // In the thread it is said alone, or with the request as it was decided.
    const keeping = { announced: ['outcome-request'] };
    expect(wrongIn({ approvals: [approval(keeping)] })).toEqual([]);
    expect(wrongIn({ approvals: [approval({ ...keeping, message: 'Ready?' })] })).toEqual([
      'lost outcome-request was never posted',
    ]);
  });

  test.each([
    ":hourglass_flowing_sand: *Sending <@U0ANA>'s approval*",
    ':hourglass: *Waiting for the service* · Gatepost needs it to check who pressed, and keeps trying',
  ])('a message that stays between two states: %s', (stuck) => {
    const messages = [
      message([
        [10_000, WAITING],
        [31_000, stuck],
      ]),
    ];
    expect(found({ ...OPEN, messages, told: [told('<it> still needs a decision.')] })).toBe(
      'lost it is pending, and its message does not say so',
    );
  });

  test('an acknowledged click that is neither carried out nor answered', () => {
    expect(wrongIn(OPEN)).toEqual([
      'lost approve was acknowledged, and neither carried out nor answered',
    ]);
    const answered = told(
      '<it>: The service could not be reached. Nothing was sent. Press again in a minute.',
    );
    expect(wrongIn({ ...OPEN, told: [answered] })).toEqual([]);
    expect(found({ ...OPEN, told: [{ ...answered, at: 29_000 }] })).toContain('lost');
    // The results of several come after their form shows them.
    const results = [told('Results of your 8 decisions')];
    const ofSeveral = { ...OPEN, told: results, presses: [press({ isOfSeveral: true })] };
    expect(found(ofSeveral)).not.toContain('lost');
    expect(found({ ...OPEN, told: results })).toContain('lost');
    // A process that stands still takes longer.
    const late = { ...ofSeveral, told: results.map((each) => ({ ...each, at: each.at + 80_000 })) };
    expect(found(late)).toContain('lost');
    const interruptions = [{ from: 50_000, to: 70_000, what: 'bot-1 stands still' }];
    expect(found({ ...late, interruptions })).not.toContain('lost approve');
    // A person who left cannot be told, before or since; one who is back can.
    const { rights } = evidence();
    const gone = { at: 29_000, person: 'U0ANA', can: false, gone: true, serviceUser: null };
    const back = { at: 29_500, person: 'U0ANA', can: true, serviceUser: 'ana' };
    expect(found({ ...OPEN, rights: [...rights, gone] })).not.toContain('lost');
    expect(found({ ...OPEN, rights: [...rights, { ...gone, at: 45_000 }] })).not.toContain('lost');
    expect(found({ ...OPEN, rights: [...rights, gone, back] })).toContain('lost');
    expect(found({ ...OPEN, told: [{ ...answered, person: 'U0BEN' }] })).toContain('lost');
    expect(
      wrongIn({ ...OPEN, lapses: [{ from: 30_000, at: 30_500, keptAcknowledged: false }] }),
    ).toEqual([]);
  });

  test('an event that the log does not have', () => {
    const without = (action: string) =>
      wrongIn({ audit: AUDIT.filter((each) => each.action !== action) });
    expect(without('approvals.outcome')).toEqual(['lost the log does not have its outcome']);
    expect(without('approvals.respond')).toEqual(['lost the log does not say that it was sent']);
  });
});

describe('the checker reports as double', () => {
  test('a second action that takes effect', () => {
    const twice = approval({ effects: [effect(), effect({ at: 45_000 })] });
    expect(found({ approvals: [twice] })).toContain('double 2 actions took effect');
  });

  test('a second message for one post', () => {
    const copy = { ...THREAD, ts: '41.600000' };
    expect(found({ messages: [...showing([41_000, APPROVED]), copy] })).toContain(
      'double outcome-thread was posted twice',
    );
  });

  test('a message that is posted again while the first one is there', () => {
    const again = message(
      [
        [20_000, WAITING],
        [41_000, APPROVED],
      ],
      { post: 'message-again-1', ts: '20.000000' },
    );
    const [first = again, ...others] = showing([41_000, APPROVED]);
    expect(found({ messages: [first, again, ...others] })).toContain(
      'double message-again-1 was posted twice',
    );
    const deleted = { ...first, deletedAt: 15_000, versions: first.versions.slice(0, 1) };
    expect(wrongIn({ messages: [deleted, again, ...others] })).toEqual([]);
    // So are replies in its thread.
    const reminder = (at: number) =>
      message([[at, ':bell: *Reminder*']], { post: 'reminder-1', ts: `${at / 1_000}.000000` });
    const twice = [reminder(12_000), reminder(21_000)];
    const what = 'reminder-1 was posted twice';
    expect(found({ messages: [first, ...twice, ...others] })).toContain(what);
    expect(found({ messages: [deleted, again, ...twice, ...others] })).not.toContain(what);
  });

  test('not how an own gate ended that the store lost, and whose next record nobody heard of', () => {
    const own = approval({ authority: 'gatepost', effects: [], calls: [] });
    const shown = (record: string, at: number, words: string) =>
      message([[at, words]], { record, ts: `${at / 1_000}.000000` });
    const messages = [
      shown(RECORD_1.record, 41_000, APPROVED),
      shown('r2', 60_000, ':alarm_clock: *Timed out* · just now'),
    ];
    const ended = { status: 'TIMED_OUT', credit: 'none', authority: 'gatepost' };
    const audit = [{ ...audited('approvals.outcome', 'gatepost', ended), record: 'r2' }];
    const lapses = [{ from: 9_000, at: 43_000, keptAcknowledged: false }];
    const seen = { approvals: [own], messages, lapses, audit };
    const what = 'said APPROVED when it was TIMED_OUT';
    expect(found(seen)).not.toContain(what);
    // Nor what somebody was told about the first.
    const answer = (ts: string) =>
      told(
        `Request *<https://x.example.com/archives/C1/p${ts}|Deploy 4.2>* was already approved by <@U0ANA>. Your approval was not counted.`,
        { person: 'U0BEN', at: 61_000 },
      );
    const untrue = 'was told APPROVED when it was TIMED_OUT';
    expect(found({ ...seen, told: [answer('41000000')] })).not.toContain(untrue);
    expect(found({ ...seen, told: [answer('60000000')] })).toContain(untrue);
    // Its automation was told of the second one first.
    const intake = [
      { ...RECORD_1, record: 'r2' },
      { ...RECORD_1, at: 65_000, answeredAt: 65_100 },
    ];
    expect(found({ ...seen, approvals: [{ ...own, intake }] })).toContain(what);
  });

  test('one token that became two records', () => {
    const intake = [RECORD_1, { ...RECORD_1, at: 9_500, record: 'r2' }];
    const messages = showing([41_000, APPROVED]).flatMap((each) => [each, renamed(each)]);
    expect(found({ approvals: [approval({ intake })], messages, audit: null })).toContain(
      'double one token became 2 records',
    );
    const lapse = { from: 9_000, at: 9_400, keptAcknowledged: false };
    const seen = { approvals: [approval({ intake })], messages, audit: null };
    expect(wrongIn({ ...seen, lapses: [lapse] })).toEqual([]);
    // A third one, and nothing was lost again; or a second one before anything was lost.
    const third = { ...RECORD_1, at: 9_600, record: 'r3' };
    const approvals = [approval({ intake: [...intake, third] })];
    expect(found({ ...seen, approvals, lapses: [lapse] })).toContain('became 3 records');
    expect(found({ ...seen, lapses: [{ ...lapse, at: 13_000 }] })).toContain('became 2 records');
  });

  test('not a token whose first record was lost before its automation was told', () => {
    const unheard = { at: 9_100, answeredAt: null, status: null, record: null };
    const intake = [unheard, { ...RECORD_1, at: 11_500, answeredAt: 11_600, record: 'r2' }];
    const messages = showing([41_000, APPROVED]).flatMap((each) => [each, renamed(each)]);
    const seen = { approvals: [approval({ intake })], messages, audit: null };
    const what = 'double one token became 2 records';
    expect(found(seen)).toContain(what);
    const lapse = { from: 9_900, at: 11_000, keptAcknowledged: false };
    expect(found({ ...seen, lapses: [lapse] })).not.toContain(what);
    expect(found({ ...seen, lapses: [{ ...lapse, from: 10_500 }] })).toContain(what);
    // Or was told that it is not known whether it is stored.
    const refused = { ...seen, lapses: [lapse] };
    const answered = (status: number) => [
      approval({ intake: [{ ...unheard, status }, ...intake.slice(1)] }),
    ];
    expect(found({ ...refused, approvals: answered(503) })).not.toContain(what);
    expect(found({ ...refused, approvals: answered(422) })).toContain(what);
    // But not once a later asking was accepted before the store went back.
    const accepted = { ...RECORD_1, at: 9_600, answeredAt: 9_700 };
    const heard = [{ ...unheard, status: 503 }, accepted, ...intake.slice(1)];
    expect(found({ ...refused, approvals: [approval({ intake: heard })] })).toContain(what);
  });

  test('not a token whose copy arrived late, after the store had lost the first record', () => {
    const messages = showing([41_000, APPROVED]).flatMap((each) => [each, renamed(each)]);
    const lapse = { from: 9_000, at: 11_000, keptAcknowledged: false };
    // Nobody was told of the copy's record.
    const seen = { messages, audit: null, lapses: [lapse] };
    expect(found(seen)).not.toContain('became 2 records');
    expect(found({ ...seen, lapses: [{ ...lapse, at: 13_000 }] })).toContain('became 2 records');
  });

  test('a reply sent more often than its button was pressed', () => {
    const late = told('<it> was already approved by <@U0ANA>. Your rejection was not counted.', {
      person: 'U0BEN',
    });
    const presses = [press(), press({ person: 'U0BEN', action: 'reject' })];
    const all = { presses, told: [late, { ...late, at: 43_000 }] };
    expect(found(all)).toContain('double U0BEN was told twice');
    expect(wrongIn({ presses, told: [late] })).toEqual([]);
    expect(
      wrongIn({
        ...all,
        presses: [...presses, { ...press({ person: 'U0BEN', action: 'reject' }), at: 42_500 }],
      }),
    ).toEqual([]);
    expect(
      wrongIn({
        ...all,
        told: [
          { ...late, answered: false },
          { ...late, at: 43_000 },
        ],
      }),
    ).toEqual([]);
    expect(
      wrongIn({ ...all, interruptions: [{ from: 42_100, to: 42_200, what: 'kill' }] }),
    ).toEqual([]);
  });

  test('not a repeated note that a form may not have opened', () => {
    const unopened = told('Slack did not confirm that the form for <it> opened.');
    expect(wrongIn({ told: [unopened, { ...unopened, at: unopened.at + 1_000 }] })).toEqual([]);
    // Nor that it has no use, which a copy of the press finds out, and then the form that was opened.
    const alone = told(
      'You asked for <it>, and its route has no other reviewer who can be told first, so your decision does not count.',
    );
    expect(found({ told: [alone, { ...alone, at: alone.at + 1_000 }] })).not.toContain('twice');
  });

  test('not a reply sent again because the store had lost that it was sent', () => {
    const refused = (at: number) =>
      told('You are not a reviewer of <it>, so your decision on it does not count.', {
        ...{ person: 'U0BEN', at },
      });
    const presses = [31_000, 55_000].map((at) => press({ person: 'U0BEN', action: 'reject', at }));
    const all = { presses: [press(), ...presses], told: [31_500, 42_000, 56_000].map(refused) };
    const lapse = { from: 31_400, at: 33_000, keptAcknowledged: true };
    expect(found(all)).toContain('U0BEN was told twice');
    expect(found({ ...all, lapses: [lapse] })).not.toContain('U0BEN was told twice');
    // Not one that was told twice before that.
    const before = [31_400, 31_450].map(refused);
    const later = { ...lapse, from: 32_000, at: 40_000 };
    const once = { presses: [press(), ...presses.slice(0, 1)], told: before, lapses: [later] };
    expect(found(once)).toContain('U0BEN was told twice');
    // Only that one.
    const more = { ...all, told: [...all.told, refused(57_000)], lapses: [lapse] };
    expect(found(more)).toContain('U0BEN was told twice');
  });

  test('not that somebody else took back their approval each time they did', () => {
    const once = told('<@U0BEN> took back their approval of <it>. 1 more approval is needed.');
    const seen = { told: [once, { ...once, at: 43_000 }], presses: [] };
    const takenBack = (...times: number[]) =>
      found({ ...seen, takeBacks: times.map((at) => press({ person: 'U0BEN', at })) });
    expect(takenBack(39_000)).toContain('told twice');
    expect(takenBack(39_000, 42_500)).not.toContain('told twice');
    expect(takenBack(39_000, 44_000)).toContain('told twice');
  });

  test.each([
    '<it> is no longer stored here, so your press was not counted.',
    'It is not known whether your click on <it> was recorded.',
    'Your click on <it> was not recorded: Gatepost could not store it.',
  ])('not a reply sent twice to a press that was delivered twice without a record: %s', (text) => {
    const gone = told(text, { person: 'U0BEN' });
    const all = { told: [gone, { ...gone, at: 43_000 }] };
    const once = press({ person: 'U0BEN', action: 'reject' });
    expect(found({ ...all, presses: [press(), once] })).toContain('told twice');
    const copied = { ...once, doubled: true };
    expect(found({ ...all, presses: [press(), copied] })).not.toContain('told twice');
    const late = told('<it> was already approved by <@U0ANA>. Your rejection was not counted.', {
      person: 'U0BEN',
    });
    const other = { presses: [press(), copied], told: [late, { ...late, at: 43_000 }] };
    expect(found(other)).toContain('told twice');
  });

  test.each([
    [
      'soon after an answer was lost',
      [call({ status: null }), read(42_000), call({ at: 43_000 })],
      'ms after one whose answer was lost',
    ],
    [
      'without a look',
      [call({ status: 500 }), read(45_000), call({ at: 51_000 })],
      'without reading the status first',
    ],
    [
      'after it was answered',
      [call(), read(55_000), call({ at: 56_000 })],
      'after the service had answered',
    ],
    [
      'three times',
      [
        call({ status: null }),
        read(51_000),
        call({ at: 52_000, status: null }),
        read(63_000),
        call({ at: 64_000 }),
      ],
      'sent 3 times for 1 presses',
    ],
    [
      'three times, after a refusal that nobody had heard as it was sent again',
      [
        call({ status: 429, heardAt: 53_000 }),
        read(51_000),
        call({ at: 52_000, status: null }),
        read(63_000),
        call({ at: 64_000 }),
      ],
      'sent 3 times for 1 presses',
    ],
  ])('a decision that is sent again %s', (_how, calls, what) => {
    expect(found({ approvals: [approval({ calls })] })).toContain(what);
  });

  test('not a decision sent again as promised', () => {
    const calls = [call({ status: null }), read(50_500), call({ at: 51_000, status: 409 })];
    expect(wrongIn({ approvals: [approval({ calls })] })).toEqual([]);
  });

  test('not a decision sent again after a refusal, unless nobody had heard that', () => {
    const sent = (heardAt: number | null, lapses: Evidence['lapses'] = []) => {
      const calls = [
        call({ status: 429, heardAt }),
        read(41_500),
        call({ at: 42_000, status: null }),
        read(53_500),
        call({ at: 54_000 }),
      ];
      return found({ approvals: [approval({ calls })], lapses });
    };
    const TOO_OFTEN = 'sent 3 times for 1 presses';
    expect(sent(40_100)).not.toContain(TOO_OFTEN);
    expect(sent(42_100)).toContain(TOO_OFTEN);
    expect(sent(null)).toContain(TOO_OFTEN);
    // The store may have forgotten that it was sent at all.
    const lapses = [{ from: 39_500, at: 41_000, keptAcknowledged: true }];
    expect(sent(null, lapses)).not.toContain(TOO_OFTEN);
  });

  test('not a decision sent a third time, if the store had forgotten the first', () => {
    const calls = [
      call({ status: 500 }),
      read(51_000),
      call({ at: 52_000, status: 500 }),
      read(63_000),
      call({ at: 64_000 }),
    ];
    const sent = (from: number, at: number) =>
      found({ approvals: [approval({ calls })], lapses: [{ from, at, keptAcknowledged: true }] });
    const TOO_OFTEN = 'sent 3 times for 1 presses';
    expect(sent(39_500, 41_000)).not.toContain(TOO_OFTEN);
    expect(sent(41_000, 42_000)).toContain(TOO_OFTEN);
  });

  test('not a decision sent earlier that arrives second, if the store had lost it', () => {
    const lapses = [{ from: 38_500, at: 39_500, keptAcknowledged: true }];
    const late = call({ at: 44_000, sentAt: 39_000, status: 409 });
    const approvals = [approval({ calls: [read(39_600), call(), late] })];
    expect(wrongIn({ approvals, lapses })).toEqual([]);
    expect(found({ approvals })).toContain('after the service had answered');
    const later = approval({ calls: [call(), { ...late, sentAt: 41_000 }] });
    expect(found({ approvals: [later], lapses })).toContain('after the service had answered');
  });

  test('the opposite decision after one with a lost response', () => {
    const opposite = call({ at: 51_000, action: 'reject', serviceUser: 'ben' });
    const calls = [call({ status: null }), read(50_500), opposite];
    const presses = [press(), press({ person: 'U0BEN', action: 'reject' })];
    const approvals = [approval({ calls })];
    const late = told('<it> was already approved by <@U0ANA>. Your rejection was not counted.', {
      person: 'U0BEN',
    });
    expect(wrongIn({ approvals, presses, told: [late] })).toEqual([
      'double reject was sent although it was not known what became of approve',
    ]);
    const unsure = told(
      '<it>: The decision may not have reached the service. Press Check now to check again.',
    );
    expect(wrongIn({ approvals, presses, told: [late, unsure] })).toEqual([]);
  });

  test('two outcomes in the log', () => {
    expect(found({ audit: [...AUDIT, ...AUDIT.slice(-1)] })).toBe('double the log has 2 outcomes');
  });
});

describe('the checker reports as false', () => {
  test('a message with an outcome before the service returned it', () => {
    expect(wrongIn({ messages: showing([39_999, APPROVED]) })).toEqual([
      'false message in C1 said APPROVED when it was PENDING',
    ]);
  });

  test('a message with another outcome, even for a moment', () => {
    const messages = showing([41_000, ':x: *Rejected by <@U0ANA>*'], [41_200, APPROVED]);
    expect(wrongIn({ messages })).toEqual([
      'false message in C1 said REJECTED when it was APPROVED',
    ]);
  });

  test('a message that names somebody who did not decide', () => {
    const messages = showing([41_000, ':white_check_mark: *Approved by <@U0BEN>*']);
    expect(found({ messages })).toContain('that U0BEN did it, who did not, or could not');
    const both = [press(), press({ person: 'U0BEN' })];
    expect(
      found({ messages, presses: both, told: [told('<it> was approved.', { person: 'U0BEN' })] }),
    ).toContain('that U0BEN did it, when it was done by U0ANA');
  });

  test('“elsewhere” for a decision made here, unless the store had lost it', () => {
    const messages = showing([41_000, ':white_check_mark: *Approved elsewhere*']);
    expect(found({ messages })).toContain('done elsewhere, when it was done through Gatepost');
    const lapses = [{ from: 39_500, at: 40_500, keptAcknowledged: true }];
    expect(wrongIn({ messages, lapses })).toEqual([]);
    // It was long on its way, and the store forgot in between that it was sent.
    const earlier = [{ from: 34_500, at: 35_500, keptAcknowledged: true }];
    const late1 = { ...call(), sentAt: 35_000 };
    const approvals = [approval({ calls: [read(39_000), late1] })];
    expect(wrongIn({ messages, approvals, lapses: earlier })).toEqual([]);
    expect(found({ messages, lapses: earlier })).toContain('done elsewhere, when it was done');
    const elsewhere = approval({
      effects: [effect({ how: 'elsewhere', serviceUser: null })],
      calls: [],
    });
    const late = told('<it> was already approved elsewhere. Your approval was not counted.');
    expect(wrongIn({ approvals: [elsewhere], messages, told: [late], audit: null })).toEqual([]);
    expect(found({ approvals: [elsewhere], told: [late], audit: null })).toContain(
      'when it was done elsewhere',
    );
  });

  test('a reply that contradicts the outcome', () => {
    expect(found({ told: [told('<it> timed out. Your approval was not counted.')] })).toContain(
      'TIMED_OUT when it was APPROVED',
    );
    expect(
      found({
        told: [told('<it> was already rejected by <@U0BEN>. Your approval was not counted.')],
      }),
    ).toContain('REJECTED when it was APPROVED');
    expect(
      wrongIn({
        told: [told('<it> was already approved by <@U0ANA>. Your approval was not counted.')],
      }),
    ).toEqual([]);
  });

  test('“nothing was sent” for a decision that was carried out', () => {
    const gone = told(
      'Your click on <it> was not recorded: Gatepost could not store it. Press again in a minute.',
    );
    expect(found({ told: [gone] })).toContain('that nothing was sent, and it was carried out');
    expect(
      wrongIn({ told: [gone], presses: [press({ at: 20_000 }), press({ at: 39_000 })] }),
    ).toEqual([]);
    expect(wrongIn({ told: [gone], presses: [press({ doubled: true })] })).toEqual([]);
    // The store forgot that it had been processed, and it was processed again.
    const lapse = { from: 31_000, at: 35_000, keptAcknowledged: true };
    expect(found({ told: [gone], lapses: [lapse] })).not.toContain('nothing was sent');
    const before = { ...lapse, from: 20_000, at: 25_000 };
    expect(found({ told: [gone], lapses: [before] })).toContain('nothing was sent');
    // It may answer an Undo, which Slack may have delivered twice.
    const takeBacks = [press({ at: 39_000 })];
    const third = told(gone.text, { at: gone.at + 2_000 });
    const second = told(gone.text, { at: gone.at + 1_000 });
    expect(found({ told: [gone, second], takeBacks })).not.toContain('nothing was sent');
    expect(found({ told: [gone, second, third], takeBacks })).toContain('nothing was sent');
    const tooLate = [press({ at: 41_900 })];
    expect(found({ told: [gone], takeBacks: tooLate })).not.toContain('nothing was sent');
    // Not once it had been carried out, and the store knew that.
    const late = { ...lapse, from: 45_000, at: 46_000 };
    const after = told(gone.text, { at: 60_000 });
    expect(found({ told: [after], lapses: [late] })).toContain('nothing was sent');
    const again = told(gone.text, { at: gone.at + 1_000 });
    expect(found({ told: [gone, again], presses: [press({ doubled: true })] })).toContain(
      'that nothing was sent, and it was carried out',
    );
  });

  test('a refusal of somebody who could decide', () => {
    const no = told(
      'You are not a reviewer of <it>, so your decision does not count. <@U0ANA> can decide.',
      { person: 'U0BEN' },
    );
    const presses = [press(), press({ person: 'U0BEN' })];
    expect(found({ presses, told: [no] })).toContain('that they cannot decide, when they could');
    expect(
      wrongIn({ presses, told: [no], approvals: [approval({ reviewers: ['U0ANA'] })] }),
    ).toEqual([]);
  });

  test('a decision by somebody who had lost the right before the press', () => {
    const rights = (at: number) => [
      ...evidence().rights,
      { at, person: 'U0ANA', can: false, serviceUser: 'ana' },
    ];
    expect(found({ rights: rights(29_000) })).toContain(
      'for somebody who could not decide since the press',
    );
    expect(wrongIn({ rights: rights(30_500) })).toEqual([]);
  });

  test('a decision without a press', () => {
    expect(found({ presses: [] })).toContain('nobody who is named pressed approve');
    expect(found({ presses: [press({ at: 40_500 })] })).toContain(
      'approve was sent, which nobody pressed',
    );
  });

  test('an approval without its quorum', () => {
    const approvals = [approval({ quorum: 2 })];
    expect(found({ approvals, presses: [press(), press({ at: 31_000 })] })).toContain(
      'approved with 1 of 2 approvals',
    );
    const both = ':white_check_mark: *Approved by <@U0ANA> and <@U0BEN>*';
    const presses = [press(), press({ person: 'U0BEN', at: 31_000 })];
    const audit = AUDIT.map((each) =>
      each.action === 'approvals.outcome' ? { ...each, actor: 'U0ANA,U0BEN' } : each,
    );
    expect(wrongIn({ approvals, presses, messages: showing([41_000, both]), audit })).toEqual([]);
  });

  test('approvals shown that were not given', () => {
    const words = ':hourglass: *Waiting for a decision* · 1 of 2 approvals (<@U0BEN>)';
    expect(found({ messages: showing([20_000, words], [41_000, APPROVED]) })).toContain(
      'that U0BEN had approved',
    );
  });

  test.each([
    "*Waiting for the service* · <@U0BEN>'s approval has not been sent yet",
    "*Sending <@U0BEN>'s approval*",
    "*Waiting for the service* · it has not confirmed <@U0BEN>'s approval yet",
  ])(
    'a decision shown as under way for somebody who did not press, or could not decide: %s',
    (words) => {
      const stated = [35_000, `:hourglass_flowing_sand: ${words}`] as const;
      const messages = showing(stated, [41_000, APPROVED]);
      const said = 'that U0BEN decides, who had not pressed approve, or could not';
      expect(found({ messages })).toContain(said);
      const pressed = { messages, presses: [press(), press({ person: 'U0BEN', at: 31_000 })] };
      expect(found(pressed)).not.toContain(said);
      const gone = { at: 30_500, person: 'U0BEN', can: false, serviceUser: 'ben' };
      const rights = [...evidence().rights, gone];
      expect(found({ ...pressed, rights })).toContain(said);
    },
  );

  test('“withdrawn” for a request that was not', () => {
    const words = ':no_entry_sign: *Withdrawn*';
    expect(found({ messages: showing([35_000, words], [41_000, APPROVED]) })).toContain(
      'that it is withdrawn',
    );
  });

  test('an event that only the log has', () => {
    const more = [
      audited('approvals.told', 'gatepost', { user: 'U0ANA', text: 'Hello.' }),
      audited('approvals.ballot', 'U0BEN', { action: 'reject' }),
      audited('approvals.post', 'gatepost', { post: 'outcome-channel', channel: 'C9', ts: '1' }),
    ];
    expect(wrongIn({ audit: [...AUDIT, ...more] })).toEqual([
      'false the log has a sentence nobody read: Hello.',
      'false the log has a ballot (reject) that was never pressed',
      'false the log has a post that is not there: outcome-channel',
    ]);
  });

  test('an own gate with an outcome that its log does not have', () => {
    const own = approval({ authority: 'gatepost', effects: [], calls: [] });
    const log = AUDIT.filter(({ action }) => action !== 'approvals.respond');
    expect(wrongIn({ approvals: [own], audit: log })).toEqual([]);
    expect(found({ approvals: [own], audit: log.slice(0, 2) })).toContain(
      'APPROVED when it was PENDING',
    );
  });
});

// A store that went back has of the log what it has of the record.
test('an own gate is judged only by its log, whatever the store lost', () => {
  const own = approval({ ...pending, authority: 'gatepost' });
  const audit = AUDIT.filter(({ action }) => action !== 'approvals.outcome');
  const messages = showing([41_000, APPROVED]);
  expect(found({ approvals: [own], messages, audit })).toContain('said APPROVED when it was');
  const lapses = [{ from: 40_900, at: 42_000, keptAcknowledged: false }];
  expect(wrongIn({ approvals: [own], messages, audit, lapses })).toEqual([
    'false message in C1 said APPROVED when it was PENDING',
    'false outcome-thread in C1 said APPROVED when it was PENDING',
    'unanswered approve was acknowledged and not counted (it is PENDING), and they read nothing',
  ]);
  // Who holds it next reads it from the message.
  const facts = { status: 'APPROVED', credit: 'certain' };
  const read = [...audit, audited('approvals.outcome', 'U0ANA', facts)];
  expect(wrongIn({ approvals: [own], messages, audit: read, lapses })).toEqual([]);
  // Of one that the store forgot altogether there is nothing to go by, until somebody asks for it again.
  const forgotten = [{ from: 9_000, at: 42_000, keptAcknowledged: false }];
  expect(wrongIn({ approvals: [own], messages, audit: [], lapses: forgotten })).toEqual([]);
  const unheard = approval({
    ...own,
    intake: own.intake.map((each) => ({ ...each, status: null })),
  });
  expect(wrongIn({ approvals: [unheard], messages, audit: [], lapses: forgotten })).toEqual([]);
  // This one was posted before.
  const kept = [{ from: 10_001, at: 42_000, keptAcknowledged: false }];
  expect(found({ approvals: [unheard], messages, audit: [], lapses: kept })).toContain(
    'said APPROVED when it was PENDING',
  );
});

describe('the checker reports as unanswered', () => {
  const presses = [press(), press({ person: 'U0BEN', action: 'reject', at: 31_000 })];

  test('a person whose press came too late and who was not told', () => {
    expect(found({ presses })).toContain(
      'unanswered reject was acknowledged and not counted (it is APPROVED)',
    );
    const late = told('<it> was already approved by <@U0ANA>. Your rejection was not counted.', {
      person: 'U0BEN',
    });
    expect(wrongIn({ presses, told: [late] })).toEqual([]);
  });

  test('a person who pressed twice and was told about one press', () => {
    const check = press({ person: 'U0BEN', action: 'check', at: 32_000 });
    const late = told('<it> was already approved by <@U0ANA>. Your rejection was not counted.', {
      person: 'U0BEN',
    });
    expect(found({ presses: [...presses, check], told: [late] })).toContain('unanswered reject');
  });

  test.each([
    ' was withdrawn by the automation that asked. Your decision does not count.',
    ' is approved. The decision of <@U0ANA> was sent. The service did not say whose decision it accepted.',
    ": The service refused Gatepost's request, so your decision was not accepted. Ask an administrator.",
    ': Gatepost could not check whether you can decide. Your decision does not count. Press again in a minute.',
    ' has changed since you opened it, so your decision was not counted. Review it again, then decide.',
  ])('not a person who pressed twice and read “<it>%s”', (words) => {
    const both = [...presses, press({ person: 'U0BEN', at: 31_020 })];
    const over = told(`<it>${words}`, { person: 'U0BEN' });
    expect(found({ presses: both, told: [over] })).not.toContain('unanswered');
  });

  test('a person who pressed Check now and was only told that a decision does not count', () => {
    const check = press({ person: 'U0BEN', action: 'check', at: 32_000 });
    const closed = told(
      '<it>: The service could not be reached. Nothing was sent. Press again in a minute.',
      { person: 'U0BEN' },
    );
    expect(found({ presses: [...presses, check], told: [closed] })).toContain('unanswered check');
    // But not who read how it stands, and pressed again after that.
    const stands = told('<it> still needs a decision.', { person: 'U0BEN', at: 32_500 });
    const again = press({ person: 'U0BEN', at: 33_000 });
    const all = { presses: [press(), check, again], told: [stands, closed] };
    expect(found({ ...OPEN, ...all })).not.toContain('unanswered check');
  });

  test('not a requester who pressed twice and was told once that they are the requester', () => {
    const both = [...presses, press({ person: 'U0BEN', at: 31_020 })];
    const text =
      'You asked for <it>, so somebody else has to decide. Your decision does not count.';
    const refused = told(text, { person: 'U0BEN' });
    expect(found({ presses: both, told: [refused] })).not.toContain('unanswered');
  });

  const NO_ADDRESS =
    'Slack shows Gatepost no confirmed address for you, so Gatepost did not look for your account in the service, and your decision on <it> does not count. Type `/people me` for details and to tell an administrator.';

  // Both presses waited for the service, and were refused for the same reason in the end.
  test('not a person who was refused once for a reason that applies to both buttons', () => {
    const both = [...presses, press({ person: 'U0BEN', at: 31_020 })];
    const refused = told(NO_ADDRESS, { person: 'U0BEN' });
    const rights = [
      { at: 0, person: 'U0ANA', can: true, serviceUser: 'ana' },
      { at: 0, person: 'U0BEN', can: false, serviceUser: 'ben' },
    ];
    expect(wrongIn({ presses: both, told: [refused], rights })).toEqual([]);
    const early = { ...refused, at: 31_010 };
    expect(found({ presses: both, told: [early], rights })).toContain('unanswered approve');
    expect(found({ presses: both, told: [refused] })).toContain('that they cannot decide');
  });

  // The sentence to the decision was on its way when Check now was answered in the same words.
  test('not a person who decided, then checked, and was told once that the service does not know the request', () => {
    const audit = [
      ...AUDIT.slice(0, 1),
      audited('approvals.ballot', 'U0ANA', { action: 'approve' }),
    ];
    const check = press({ action: 'check', at: 31_000 });
    const text =
      '<it>: The service does not know this approval (410). It says: “There is nothing here.” Press Check now to check again.';
    const both = { ...OPEN, presses: [press(), check], audit, told: [told(text)] };
    expect(wrongIn(both)).toEqual([]);
    const early = told(text, { at: 30_500 });
    expect(found({ ...both, told: [early] })).toContain('unanswered check');
    // Nobody looked at the decision, or it was sent: what became of it is another sentence.
    expect(found({ ...both, audit: AUDIT.slice(0, 1) })).toContain('lost approve');
    const sent = approval({ ...pending, calls: [read(39_000), call({ status: 500 })] });
    expect(found({ ...both, approvals: [sent] })).toContain('unanswered approve');
  });

  test('a person who was refused, pressed again and got no further reply', () => {
    const text = 'You are not a reviewer of <it>, so your decision on it does not count.';
    const refused = told(text, { person: 'U0BEN', at: 31_500 });
    const once = [...presses, press({ person: 'U0BEN', at: 31_020 })];
    expect(found({ presses: once, told: [refused] })).not.toContain('unanswered');
    const again = [...presses, press({ person: 'U0BEN', at: 32_000 })];
    expect(found({ presses: again, told: [refused] })).toContain('unanswered approve');
  });

  test('not a person who was told at once that something went wrong', () => {
    const broken = told('Something went wrong. Give an administrator this reference: 1a2b.', {
      person: 'U0BEN',
      at: 31_500,
    });
    const acknowledged = presses.map((each) => ({ ...each, acknowledgedAt: each.at + 1_000 }));
    expect(wrongIn({ presses: acknowledged, told: [broken] })).toEqual([]);
    expect(found({ presses: acknowledged, told: [{ ...broken, at: 35_000 }] })).toContain(
      'unanswered',
    );
  });

  test('not a person who got one reply in a message and the other in a form', () => {
    const again = press({ person: 'U0BEN', at: 35_000, acknowledgedAt: 35_100 });
    const late = told('<it> was already approved by <@U0ANA>. Your rejection was not counted.', {
      person: 'U0BEN',
    });
    const form = told('Your decision was not recorded.', { person: 'U0BEN', at: 35_200 });
    const all = [...presses, again];
    expect(wrongIn({ presses: all, told: [form, late] })).toEqual([]);
    expect(found({ presses: all, told: [late] })).toContain('unanswered');
  });

  test('a press that showed nothing, but not one that Slack showed as failed', () => {
    const silent = press({ person: 'U0BEN', at: 31_000, acknowledgedAt: null });
    expect(found({ presses: [press(), silent] })).toContain(
      'unanswered a press on approve showed nothing',
    );
    expect(wrongIn({ presses: [press(), { ...silent, shown: 'Operation failed' }] })).toEqual([]);
  });

  test('a command without an answer', () => {
    const command = {
      person: 'U0ANA',
      text: '/approvals',
      at: 1,
      acknowledged: true,
      answer: null,
    };
    expect(found({ commands: [command] })).toBe('unanswered /approvals had no answer');
    expect(wrongIn({ commands: [{ ...command, answer: 'Nothing waits for you.' }] })).toEqual([]);
  });
});

test('a violation is printed with everything that was seen of its request', () => {
  const seen = evidence({
    messages: showing([39_999, APPROVED]),
    interruptions: [{ from: 39_000, to: 39_500, what: 'kill' }],
  });
  const [first] = check(seen);
  expect(first && storyOf(seen, first)).toMatchInlineSnapshot(`
    "false: A1: message in C1 said APPROVED when it was PENDING
          0.000 s  automation  asks U0ANA, U0BEN
          0.100 s  automation  is answered 202 r1
          0.900 s  slack       posts message 10.000000: waiting
         20.900 s  U0ANA       presses approve: acknowledged after 100 ms
         29.900 s  service     gets read   and answers 200
         29.900 s  process     kill, for 500 ms
         30.899 s  slack       changes message 10.000000: APPROVED by U0ANA
         30.900 s  service     gets respond approve ana and answers 200
         30.900 s  service     is APPROVED, by interface ana
         32.400 s  slack       posts outcome-thread 41.500000: APPROVED
      in the log   approvals.post gatepost {"post":"message","channel":"C1","ts":"10.000000"}
      in the log   approvals.ballot U0ANA {"action":"approve","serviceUser":"ana"}
      in the log   approvals.respond U0ANA {"action":"approve","serviceUser":"ana"}
      in the log   approvals.outcome U0ANA {"status":"APPROVED","credit":"certain"}"
  `);
});

describe('the checker of callbacks', () => {
  const wrongWith = (callbacks: readonly CallbackSeen[], more: Partial<Evidence> = {}) =>
    found({ ...more, callbacks });
  const [posted, decided] = [calledBack(), calledBackAtEnd()];
  const rewound = { lapses: [{ from: 39_000, at: 40_800, keptAcknowledged: true }] };

  test.each<[string, readonly CallbackSeen[]]>([
    ['each was taken', [posted, decided]],
    ['one was refused before', [posted, { ...decided, at: 40_600, isTaken: false }, decided]],
    ['one came again with its id', [posted, decided, { ...decided, at: 50_000 }]],
    ['they came in another order', [decided, { ...posted, at: 60_000 }]],
  ])('finds nothing wrong when %s', (_how, all) => {
    expect(wrongWith(all)).toBe('');
  });

  test('finds nothing wrong when it ended before its message was posted, and nobody was told of that', () => {
    const postedAt = (at: number) => ({
      messages: showing([at, APPROVED]).map((each, place) =>
        place === 0 ? message([[at, APPROVED]]) : each,
      ),
    });
    expect(wrongWith([decided], postedAt(39_900))).toContain('it was posted, and nobody');
    expect(wrongWith([decided], postedAt(41_000))).not.toContain('it was posted, and nobody');
  });

  test.each<[string, readonly CallbackSeen[], string]>([
    ['nobody was told of the end', [posted], 'lost it ended, and nobody was called back'],
    [
      'its receiver never took the end',
      [posted, { ...decided, isTaken: false }],
      'lost it ended, and nobody was called back with approval.decided',
    ],
    ['nobody was told of the message', [decided], 'lost it was posted, and nobody'],
    [
      'the end came with two ids',
      [posted, decided, { ...decided, id: 'r1-decided-2', at: 50_000 }],
      'double its end was told as approval.decided (r1-decided) and as approval.decided',
    ],
    [
      'it was posted with two ids',
      [posted, { ...posted, id: 'r1-posted-2' }, decided],
      'double r1-posted-10100 came again as r1-posted-2',
    ],
    [
      'it says that it was posted after its end',
      [posted, decided]
        .map((each) => (each === posted ? { ...each, saidAt: 40_900 } : each))
        .map((each) => ({ ...each, at: 41_000 })),
      'false it says that it was posted after its end',
    ],
    [
      'the signature is wrong',
      [{ ...posted, isGenuine: false }, posted, decided],
      'false approval.posted (r1-posted-10100) is not signed',
    ],
    [
      'it came before it was so',
      [posted, { ...decided, at: 39_000, saidAt: 38_000 }],
      'false approval.decided (r1-decided) says APPROVED when it was PENDING',
    ],
    [
      'its moment is still to come',
      [{ ...posted, saidAt: 11_000 }, decided],
      'false approval.posted (r1-posted-10100) tells of what is still to come',
    ],
    [
      'it names somebody else',
      [posted, { ...decided, by: ['U0BEN'] }],
      'that U0BEN did it, who did not, or could not',
    ],
    [
      'it names nobody for what was certainly done by somebody',
      [posted, { ...decided, by: [] }],
      'false approval.decided (r1-decided) leaves out who decided',
    ],
    [
      'the same id came with other content',
      [posted, { ...decided, by: [], isTaken: false }, decided],
      'false r1-decided came again with other content',
    ],
    [
      'it says the opposite',
      [posted, { ...decided, status: 'REJECTED' }],
      'says REJECTED when it was APPROVED',
    ],
    [
      'it links to another message',
      [{ ...posted, permalink: 'https://x.example.com/archives/C1/p99' }, decided],
      'links to https://x.example.com/archives/C1/p99, which is none of its own',
    ],
    ['it has a key', [{ ...posted, key: 'k' }, decided], 'names the key k'],
    [
      'nobody took it back',
      [
        posted,
        calledBack({ at: 40_000, id: 'r1-w', type: 'approval.withdrawn', status: 'WITHDRAWN' }),
        decided,
      ],
      'false approval.withdrawn (r1-w) and nobody took it back',
    ],
    [
      'nobody refused the message',
      [calledBack({ id: 'r1-b', type: 'approval.blocked', status: 'BLOCKED' }), posted, decided],
      'false approval.blocked (r1-b) and Slack had not refused it',
    ],
    [
      'its time had not run out',
      [posted, calledBackAtEnd({ type: 'approval.timed_out', status: 'TIMED_OUT', by: [] })],
      'says TIMED_OUT when it was APPROVED',
    ],
  ])('finds something wrong when %s', (_how, all, wrong) => {
    expect(wrongWith(all)).toContain(wrong);
  });

  test('accepts that nobody but the requester can decide', () => {
    const blocked = calledBack({ id: 'r1-b', type: 'approval.blocked', status: 'BLOCKED' });
    const approvals = [approval({ reviewers: [] })];
    expect(wrongWith([blocked, posted, decided], { approvals })).not.toContain('blocked');
  });

  test('accepts a name only from a message if the store had lost it', () => {
    const at = 45_000;
    const first = { ...decided, by: [], isTaken: false, at, saidAt: at - 100 };
    const again = { ...decided, at: at + 3_000, saidAt: at - 100 };
    const lapses = [{ from: 39_000, at: 43_000, keptAcknowledged: true }];
    const what = 'came again with other content';
    expect(wrongWith([posted, first, again], { lapses })).not.toContain(what);
    expect(wrongWith([posted, { ...first, by: ['U0BEN'] }, again], { lapses })).toContain(what);
    const before = [{ from: 20_000, at: 21_000, keptAcknowledged: true }];
    expect(wrongWith([posted, first, again], { lapses: before })).toContain(what);
    // It has lost it once more.
    const third = { ...first, at: at + 9_000 };
    const later = { from: at + 2_000, at: at + 6_000, keptAcknowledged: true };
    const named = [posted, again, third];
    expect(wrongWith(named, { lapses: [...lapses, later] })).not.toContain(what);
    expect(wrongWith(named, { lapses })).toContain(what);
  });

  test('accepts no name if the log has lost what was known then', () => {
    const nameless = { ...decided, by: [], at: 42_000, saidAt: 41_900 };
    const what = 'leaves out who decided';
    const lapse = { from: 41_800, at: 43_000, keptAcknowledged: true };
    expect(wrongWith([posted, nameless], { lapses: [lapse] })).not.toContain(what);
    const later = { ...lapse, from: 42_000 };
    expect(wrongWith([posted, nameless], { lapses: [later] })).toContain(what);
  });

  test('reports a callback to a source without a receiver', () => {
    const approvals = [approval({ isCalledBack: false })];
    expect(wrongWith([], { approvals })).toBe('');
    expect(wrongWith([posted], { approvals })).toBe('false approval.posted went to nobody');
  });

  test('requires the reason that the person wrote', () => {
    const rejected = { ...decided, status: 'REJECTED', reason: 'Not now' };
    const more = {
      approvals: [
        approval({
          effects: [effect({ status: 'REJECTED' })],
          calls: [read(39_000), call({ action: 'reject' })],
          reasons: [{ person: 'U0ANA', action: 'reject', text: 'Not now' }],
        }),
      ],
      presses: [press({ action: 'reject' })],
      messages: [
        message([
          [10_000, WAITING],
          [41_000, ':x: *Rejected by <@U0ANA>* · just now'],
        ]),
        message([[41_500, ':x: *Rejected* after 30 s']], {
          post: 'outcome-thread',
          ts: '41.500000',
        }),
      ],
      audit: null,
    };
    expect(wrongWith([posted, rejected], more)).toBe('');
    const other = { ...rejected, reason: 'Never' };
    expect(wrongWith([posted, other], more)).toContain('gives a reason that nobody wrote: Never');
    const none = { ...rejected, reason: null };
    expect(wrongWith([posted, none], more)).toContain('leaves out the reason');
  });

  test('requires the digest of the content that is shown', () => {
    const approvals = [approval({ message: 'Go?' })];
    const digest = '6d8e3afea6eb8210e153d3597d44b5d9e5b691f583569dbf27eecb12dcdd3195';
    expect(wrongWith([posted, decided], { approvals })).toContain(
      'has the digest of other content',
    );
    expect(
      wrongWith(
        [posted, decided].map((each) => ({ ...each, digest })),
        { approvals },
      ),
    ).toBe('');
  });

  test('accepts a repeated event if the store went back', () => {
    const again = { ...decided, id: 'r1-decided-2', saidAt: 41_500, at: 50_000 };
    expect(wrongWith([posted, decided, again], rewound)).toBe('');
    const earlier = { lapses: [{ from: 9_000, at: 9_050, keptAcknowledged: true }] };
    expect(wrongWith([posted, decided, again], earlier)).toContain('double its end was told');
    expect(wrongWith([posted], rewound)).toContain('lost it ended');
  });

  test('accepts that an own gate timed out, if the store may have forgotten that', () => {
    const timedOut = calledBackAtEnd({ type: 'approval.timed_out', status: 'TIMED_OUT', by: [] });
    const own = approval({ ...pending, authority: 'gatepost', deadlineAt: 30_000 });
    const judged = (lapses: Evidence['lapses'], deadlineAt = 30_000) =>
      wrongWith([posted, timedOut], { approvals: [{ ...own, deadlineAt }], audit: [], lapses });
    const SAYS = 'says TIMED_OUT when it was PENDING';
    const lapse = { from: 9_500, at: timedOut.saidAt, keptAcknowledged: true };
    expect(judged([lapse])).not.toContain(SAYS);
    expect(judged([lapse], timedOut.at + 1)).toContain('came before its deadline');
    expect(judged([{ ...lapse, at: timedOut.saidAt - 1 }])).toContain(SAYS);
  });

  test('accepts both outcome and withdrawal if the store did not know the outcome', () => {
    const withdrawals = [{ at: 40_850, answeredAt: 40_900 }];
    const taken = calledBack({
      at: 40_950,
      id: 'r1-withdrawn',
      type: 'approval.withdrawn',
      saidAt: 40_850,
      status: 'WITHDRAWN',
    });
    const late = [posted, taken, { ...decided, at: 42_500, saidAt: 42_000 }];
    const approvals = [approval({ withdrawals })];
    const double = 'double its end was told as approval.withdrawn';
    expect(wrongWith(late, { ...rewound, approvals })).not.toContain(double);
    expect(wrongWith(late, { approvals })).toContain(double);
    const earlier = { lapses: [{ from: 20_000, at: 21_000, keptAcknowledged: true }] };
    expect(wrongWith(late, { ...earlier, approvals })).toContain(double);
    // It knew it at first, and told it again as soon as it knew it again.
    const again = [posted, decided, taken, { ...decided, at: 42_500, saidAt: taken.saidAt }];
    const twice = 'double its end was told as approval.decided';
    expect(wrongWith(again, { ...rewound, approvals })).not.toContain(twice);
    expect(wrongWith(again, { approvals })).toContain(twice);
  });

  test('requires an event for a withdrawal', () => {
    const approvals = [approval({ ...pending, withdrawals: [{ at: 30_000, answeredAt: 30_200 }] })];
    const messages = [
      message([
        [10_000, WAITING],
        [31_000, ':no_entry_sign: *Withdrawn*'],
      ]),
    ];
    const open = { ...OPEN, approvals, messages, presses: [] };
    const taken = calledBack({
      at: 32_000,
      id: 'r1-withdrawn',
      type: 'approval.withdrawn',
      saidAt: 30_500,
      status: 'WITHDRAWN',
    });
    expect(wrongWith([posted, taken], open)).toBe('');
    expect(wrongWith([posted], open)).toContain('nobody was called back with approval.withdrawn');
    expect(wrongWith([posted, { ...taken, at: 29_000, saidAt: 28_000 }], open)).toContain(
      'nobody took it back',
    );
  });

  test('requires an event for a message that Slack refused, before the event for its post', () => {
    const refused = (post: string) => [
      approval({ refusals: [{ at: 9_500, post, isHeard: true }] }),
    ];
    const blocked = calledBack({
      at: 9_800,
      id: 'r1-blocked-9600',
      type: 'approval.blocked',
      saidAt: 9_600,
      status: 'BLOCKED',
    });
    const all = [{ ...blocked, permalink: null }, posted, decided];
    expect(wrongWith(all, { approvals: refused('message') })).toBe('');
    expect(wrongWith(all, { approvals: refused('message-again-1') })).toBe('');
    expect(wrongWith(all, { approvals: refused('outcome-thread') })).toContain(
      'Slack had not refused it',
    );
    // Slack said that it does not know those who could decide.
    const own = [approval({ askers: ['U0BEN'] })];
    expect(wrongWith(all, { approvals: own, doubts: [{ from: 1_000, to: 2_000 }] })).toBe('');
    expect(wrongWith(all, { approvals: own, doubts: [{ from: 20_000, to: 21_000 }] })).toContain(
      'Slack had not refused it',
    );
  });
});

describe('the checker of operations', () => {
  const done = { at: 6_000, says: 'done', text: 'Created.', answered: true } as const;
  const operation: OperationSeen = {
    name: 'case 1',
    kind: 'case',
    person: 'U0ANA',
    at: 1_000,
    acknowledgedAt: 1_100,
    effects: [5_000],
    told: [done],
  };
  const of = (more: Partial<OperationSeen>) => found({ operations: [{ ...operation, ...more }] });

  test.each<[string, Partial<OperationSeen>, string]>([
    ['done and told once', {}, ''],
    ['done twice', { effects: [5_000, 5_500] }, 'double it was done 2 times'],
    [
      'told twice',
      { told: [done, { ...done, at: 7_000 }] },
      'double its person was told twice: “Created.”',
    ],
    ['told and not done', { effects: [] }, 'false “Created.”, and it was not done'],
    ['told too early', { effects: [6_500] }, 'false “Created.”, and it was not done'],
    [
      'done and denied',
      { told: [{ ...done, says: 'not-done' }] },
      'false “Created.”, and it was done',
    ],
    [
      'done, and of its copy denied that it was recorded',
      { told: [done, { ...done, says: 'not-done', text: 'It was not recorded.' }], doubled: true },
      '',
    ],
    [
      'done, and denied that it was recorded',
      { told: [done, { ...done, says: 'not-done', text: 'It was not recorded.' }] },
      'false “It was not recorded.”, and it was done',
    ],
    ['done and not told', { told: [] }, 'unanswered it was done, and its person read nothing'],
    [
      'acknowledged and forgotten',
      { told: [], effects: [] },
      'lost it was acknowledged, and neither done nor answered',
    ],
    ['not acknowledged', { told: [], effects: [], acknowledgedAt: null }, ''],
  ])('%s', (_how, more, wrong) => {
    expect(of(more)).toBe(wrong);
  });

  test('reports an acknowledged operation that was lost, unless the store went back in between', () => {
    const lapse = { from: 900, at: 1_050, keptAcknowledged: false };
    const gone = { operations: [{ ...operation, told: [], effects: [] }] };
    const lost = 'lost it was acknowledged, and neither done nor answered';
    expect(found({ ...gone, lapses: [lapse] })).toBe('');
    expect(found({ ...gone, lapses: [{ ...lapse, keptAcknowledged: true }] })).toContain(lost);
    expect(found({ ...gone, lapses: [{ ...lapse, at: 990 }] })).toContain(lost);
    expect(found({ ...gone, lapses: [{ ...lapse, from: 1_110, at: 1_200 }] })).toContain(lost);
  });

  test('reports an effect that the log does not have', () => {
    const operations = [{ ...operation, logged: { task: 't1' } }];
    const entry = (facts: Record<string, string>) => audited('tasks.move.send', 'U0ANA', facts);
    expect(found({ operations })).toBe('lost it was done, and the log does not say so');
    const right = [...AUDIT, entry({ task: 't1', project: 'p' })];
    expect(found({ operations, audit: right })).toBe('');
    const wrong = [...AUDIT, entry({ task: 't2' })];
    expect(found({ operations, audit: wrong })).toContain('the log does not say so');
  });

  test('reports a command without an answer, unless its process ended at that moment', () => {
    const typed = { person: 'U0ANA', text: '/move-task', at: 5_000, acknowledged: true };
    const without = { commands: [{ ...typed, answer: null }] };
    expect(found({ commands: [{ ...typed, answer: 'Move a work item' }] })).toBe('');
    expect(found(without)).toBe('unanswered /move-task had no answer');
    const at = (from: number, what: string) => [{ from, to: from + 100, what }];
    expect(found({ ...without, interruptions: at(5_050, 'bot-1 is killed') })).toBe('');
    const late = { ...without, interruptions: at(30_000, 'bot-1 is killed') };
    expect(found(late)).toBe('unanswered /move-task had no answer');
    const storm = { ...without, interruptions: at(5_050, 'storm on the line to slack') };
    expect(found(storm)).toBe('unanswered /move-task had no answer');
  });
});

const RECORD_1 = { at: 9_100, answeredAt: 9_200, status: 202, record: 'r1' };

/** The same of another record, two seconds later. */
function renamed(seen: ReturnType<typeof message>): ReturnType<typeof message> {
  return {
    ...seen,
    ts: `9${seen.ts}`,
    versions: seen.versions.map((each) => ({
      ...each,
      at: each.at + 2_000,
      metadata: { ...each.metadata, record: 'r2' },
    })),
  };
}
