import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../../proof/simulation/evidence.ts';
import {
  AUDIT,
  approval,
  audited,
  call,
  effect,
  evidence,
  found,
  message,
  press,
  RECORD,
  told,
} from './evidence-of.ts';

/** Ana approves at 30 s, so that it is sent at 40 s. */
const HOLD_MS = 10_000;
const read = call({ operation: 'read', at: 40_005, action: null, serviceUser: null });
const sentAt = (at: number) => call({ at: at + 10, sentAt: at });
const heldUntil = (seconds: number, by = '<@U0ANA>') =>
  `:hourglass_flowing_sand: *${by} approved* · will be sent at <!date^${seconds}^{time_secs}|then>`;
const APPROVED = ':white_check_mark: *Approved by <@U0ANA>* · just now';
const [posted, ballot, ...rest] = AUDIT;
if (posted === undefined || ballot === undefined) throw new Error('there is no log');

const HELD_AGAIN = [
  [30_200, heldUntil(40)],
  [34_000, heldUntil(44, '<@U0BEN>')],
] as const;

const held = (
  at: number,
  more: Parameters<typeof approval>[0] = {},
  shown: readonly (readonly [number, string])[] = [[30_200, heldUntil(40)]],
) => ({
  approvals: [approval({ holdMs: HOLD_MS, calls: [read, sentAt(at)], ...more })],
  messages: [
    message([[10_000, ':hourglass: *Waiting for a decision*'], ...shown, [41_000, APPROVED]]),
    ...evidence().messages.slice(1),
  ],
});

describe('the checker of a held approval', () => {
  test('reports a decision sent before the hold was over', () => {
    expect(found(held(40_010))).toBe('');
    expect(found(held(39_000, {}, [])).split('\n')).toEqual([
      'false approve was sent 9000 ms after it was approved, and not after 10000',
      'false approve was sent without reading the status after it was held',
    ]);
  });

  test('accepts a decision sent two seconds before the deadline', () => {
    const early = call({ operation: 'read', at: 34_000, action: null, serviceUser: null });
    const more = { deadlineAt: 36_000, calls: [early, sentAt(34_500)] };
    expect(found(held(34_500, more, [[30_200, heldUntil(34)]]))).toBe('');
  });

  test('rejects a hold that ends less than two seconds before the deadline', () => {
    const early = call({ operation: 'read', at: 34_000, action: null, serviceUser: null });
    const more = { deadlineAt: 36_000, calls: [early, sentAt(34_500)] };
    expect(found(held(34_500, more, [[30_200, heldUntil(40)]]))).toContain(
      'held for 5000 ms too long before its deadline',
    );
  });

  test('requires a read after the hold, unless the deadline left no time for one', () => {
    const read = call({ operation: 'read', at: 31_000, action: null, serviceUser: null });
    const more = { deadlineAt: 36_000, calls: [read, sentAt(34_500)] };
    const unread = 'false approve was sent without reading the status after it was held';
    expect(found(held(34_500, more, []))).toBe('');
    expect(found(held(34_500, more, [[30_200, heldUntil(34)]]))).toBe(unread);
    const before = { ...more, calls: [{ ...read, at: 29_000 }, sentAt(34_500)] };
    expect(found(held(34_500, before, []))).toBe(unread);
  });

  test('reports a decision sent before the time shown in its message', () => {
    expect(found(held(40_010, {}, [[30_200, heldUntil(45)]]))).toBe(
      'false approve was sent 4990 ms before its message said that it would be',
    );
  });

  test('reports a decision of somebody who could no longer decide when the hold was over', () => {
    const [ana, ben] = evidence().rights;
    if (ana === undefined || ben === undefined) throw new Error('nobody can decide');
    const gone = { ...ana, at: 35_000, can: false };
    expect(found({ ...held(40_010), rights: [ana, ben, gone] })).toBe(
      'false approve was sent when, since its hold was over, nobody could decide',
    );
  });

  test('reports a message that does not name the approvers', () => {
    expect(found(held(40_010, { quorum: 1 }, [[30_200, heldUntil(40, '')]]))).toContain(
      'false its message said that it is held, approved by nobody',
    );
  });

  test('does not judge approvers in whose place, forgotten by the store, they approved', () => {
    const more = {
      quorum: 1,
      needs: [{ name: 'Owner', of: { users: ['U0BEN'], groups: [] }, count: 1 }],
    };
    const seen = held(40_010, more);
    expect(found(seen)).toContain('false its message said that it is held, approved by U0ANA');
    const lapses = [{ from: 30_000, at: 31_000, keptAcknowledged: true }];
    const forgotten = { ...seen, lapses, audit: [posted, ...rest] };
    expect(found(forgotten)).not.toContain('said that it is held');
    const logged = { ...forgotten, audit: [posted, ballot, ...rest] };
    expect(found(logged)).toContain('that it is held');
    // The log may have only an earlier one, which was taken back.
    const presses = [press({ at: 29_000, acknowledgedAt: 29_100 }), press()];
    expect(found({ ...logged, presses })).not.toContain('that it is held');
  });

  test('requires the hold to start over after a downtime past its end', () => {
    const away = { from: 38_000, to: 48_000, what: 'the store is away' };
    const late = { ...read, at: 48_100 };
    const seen = held(48_500, { calls: [late, sentAt(48_500)] });
    expect(found({ ...seen, interruptions: [away] })).toContain(
      'approve was sent 500 ms after a downtime in which its hold was over',
    );
    expect(found({ ...seen, interruptions: [{ ...away, to: 44_000 }] })).not.toContain('downtime');
    // What happened before may have delayed its message.
    const before = (what: string) =>
      found({ ...seen, interruptions: [{ from: 31_000, to: 37_000, what }, away] });
    expect(before('bot-1 stands still')).not.toContain('downtime');
    expect(before('the receiver of callbacks is away')).toContain('downtime');
    expect(before('clock of bot-1 is off by 900 ms')).toContain('downtime');
    const slow = (record: string, at: number) =>
      found({ ...seen, interruptions: [away], delays: [{ record, at }] });
    expect(slow(RECORD, 31_000)).not.toContain('downtime');
    expect(slow('r2', 31_000)).toContain('downtime');
    expect(slow(RECORD, 27_000)).toContain('downtime');
  });

  test('requires the message to show that the hold starts over after such a downtime', () => {
    const interruptions = [{ from: 38_000, to: 48_000, what: 'the store is away' }];
    const shownUntil = (untilS: number) =>
      found({
        ...held(60_000, {}, [
          [30_200, heldUntil(40)],
          [48_300, heldUntil(untilS)],
        ]),
        interruptions,
      });
    expect(shownUntil(50)).toContain('it is held for 6995 ms too short after a downtime');
    expect(shownUntil(58)).not.toContain('after a downtime');
    // It was sent before the downtime, and arrived late.
    expect(shownUntil(41)).not.toContain('after a downtime');
  });
});

describe('the checker of a person who changes their mind in time', () => {
  const back = { person: 'U0ANA', approval: 'A1', at: 33_000, acknowledgedAt: 33_050, shown: null };
  const takeBacks = [back];
  const undone = told('You took back your approval of <it>. 1 more approval is needed.', {
    at: 33_200,
  });

  test('requires a new hold for their next press', () => {
    const again = press({ at: 35_000, acknowledgedAt: 35_050 });
    const seen = { ...held(41_000), takeBacks, told: [undone], presses: [press(), again] };
    expect(found(seen)).toContain('approve was sent 6000 ms after it was approved, and not after');
    expect(found(seen)).toContain('approve was sent 8000 ms after it was undone, and not after');
  });

  test('reports that others had to press again, and it was sent without', () => {
    const enough = told(
      'You took back your approval of <it>. The other approvals are enough: one of them has to press Approve again.',
      { at: 33_200 },
    );
    const seen = { ...held(44_000), takeBacks, told: [enough] };
    const what = 'that others have to press again, and it was sent without';
    expect(found({ ...seen, presses: [press()] })).toContain(what);
    // Nobody may have seen that it was taken.
    const again = press({ at: 33_500, acknowledgedAt: null });
    expect(found({ ...seen, presses: [press(), again] })).not.toContain(what);
    // They pressed again before they read it.
    const soon = press({ at: 33_150, acknowledgedAt: 33_160 });
    expect(found({ ...seen, presses: [press(), soon] })).not.toContain(what);
    // They read it once more when it is held again.
    const twice = { ...held(44_000, {}, HELD_AGAIN), takeBacks, told: [{ ...enough, at: 36_000 }] };
    const bens = press({ person: 'U0BEN', at: 33_150, acknowledgedAt: 33_160 });
    expect(found({ ...twice, presses: [press(), bens] })).not.toContain(what);
    expect(found({ ...twice, presses: [press()] })).toContain(what);
    // Of two presses the second may wait until the first does not count any more.
    const byBoth = held(44_000, {}, [[30_200, heldUntil(40, '<@U0ANA> and <@U0BEN>')]]);
    const left = { ...byBoth, told: [enough] };
    const ben = press({ person: 'U0BEN', at: 29_000, acknowledgedAt: 29_050 });
    expect(found({ ...left, presses: [press(), ben] })).toContain(what);
    const bensLater = { ...ben, at: 29_500, acknowledgedAt: null };
    expect(found({ ...left, presses: [press(), ben, bensLater] })).not.toContain(what);
  });

  test('reports an approval sent although it was undone before its process had noted it', () => {
    const tooLate = told('Your approval of <it> can no longer be undone.', { at: 41_000 });
    const at = (ms: number) => [{ ...back, at: ms, acknowledgedAt: ms + 20 }];
    const seen = { ...held(40_010), told: [tooLate] };
    const what = 'approve was sent 510 ms after somebody had undone it';
    expect(found({ ...seen, takeBacks: at(39_500) })).toContain(what);
    const why = 'after somebody had undone it';
    expect(found({ ...seen, takeBacks: at(39_800) })).not.toContain(why);
    // Somebody approved it again.
    const pressed = { presses: [press(), press({ at: 39_700, acknowledgedAt: 39_750 })] };
    expect(found({ ...seen, ...pressed, takeBacks: at(39_500) })).not.toContain(why);
    // The store's answer was on its way, the process stood still, or it was sent a second time.
    const slow = (record: string, ms: number) =>
      found({ ...seen, takeBacks: at(39_500), delays: [{ record, at: ms }] });
    expect(slow(RECORD, 39_600)).not.toContain(why);
    expect(slow(RECORD, 38_100)).not.toContain(why);
    expect(slow('r2', 39_600)).toContain(what);
    // The store was slow to take the note, and had taken the Undo before.
    const notedAt = (ms: number) =>
      found({
        ...{ ...seen, takeBacks: at(39_200), delays: [{ record: RECORD, at: ms }] },
        audit: AUDIT.map((each) =>
          each.action === 'approvals.respond' ? { ...each, at: ms } : each,
        ),
      });
    expect(notedAt(39_900)).toContain('approve was sent 810 ms after somebody had undone it');
    expect(notedAt(39_210)).not.toContain(why);
    const stopped = (from: number, to: number) =>
      found({
        ...{ ...seen, takeBacks: at(39_500) },
        interruptions: [{ from, to, what: 'bot-1 stands still' }],
      });
    expect(stopped(39_400, 39_900)).not.toContain(why);
    expect(stopped(38_000, 50_000)).not.toContain(why);
    // It cannot be the process that sent it.
    expect(stopped(36_000, 50_000)).toContain(what);
    // The service did not answer when its hold was over.
    const waits = ":hourglass_flowing_sand: *Waiting for the service* · <@U0ANA>'s approval";
    const over = (said: string) => {
      const { messages } = held(40_010, {}, [[39_400, said]]);
      return found({ ...seen, takeBacks: at(39_500), messages });
    };
    expect(over(waits)).toContain(what);
    expect(over(':hourglass: *Waiting for a decision*')).not.toContain(why);
    const again = [posted, ballot, ...rest.slice(0, 1), ...rest];
    expect(found({ ...seen, takeBacks: at(39_500), audit: again })).not.toContain(why);
    // It was taken back, and somebody approved it again.
    const taken = { ...seen, told: [{ ...undone, at: 39_600 }], takeBacks: at(39_500) };
    expect(found(taken)).not.toContain(why);
  });

  test('reports “too late” during the hold', () => {
    const late = told('Your approval of <it> can no longer be undone.', {
      at: 33_200,
    });
    expect(found({ ...held(40_010), takeBacks, told: [late] })).toContain(
      'that it cannot be undone any more, while it was held',
    );
  });

  test('reports a reject that waited until the request timed out', () => {
    const reject = press({ person: 'U0BEN', action: 'reject', at: 32_000, acknowledgedAt: 32_050 });
    const presses = [press(), reject];
    const end = audited('approvals.outcome', 'gatepost', { status: 'TIMED_OUT' });
    const shown = [
      [10_000, ':hourglass: *Waiting for a decision*'],
      [30_200, heldUntil(40)],
      [91_000, ':alarm_clock: *Timed out*'],
    ] as const;
    const more = { holdMs: HOLD_MS, deadlineAt: 90_000, calls: [], announced: [] };
    const effects = [
      { at: 90_000, status: 'TIMED_OUT', how: 'deadline', serviceUser: null },
    ] as const;
    const over = told('<it> timed out. Your rejection was not counted.', {
      ...{ person: 'U0BEN', at: 91_000 },
    });
    const seen = {
      approvals: [approval({ ...more, effects })],
      messages: [message(shown)],
      presses,
      told: [over, { ...over, person: 'U0ANA' }],
      audit: [posted, ballot, end],
    };
    const what = 'lost it timed out, and a reject had waited since an approval was held';
    expect(found(seen)).toContain(what);
    const looked = audited('approvals.ballot', 'U0BEN', { action: 'reject', refused: 'guest' });
    expect(found({ ...seen, audit: [posted, ballot, looked, end] })).not.toContain(what);
    // They read that it could not be checked, or there was too little time.
    const unchecked = { ...over, at: 64_000 };
    expect(found({ ...seen, told: [unchecked, ...seen.told] })).not.toContain(what);
    const away = { from: 33_000, to: 50_000, what: 'the store is away' };
    expect(found({ ...seen, interruptions: [away] })).not.toContain(what);
    // It had waited for long before.
    const later = { ...away, from: 80_000, to: 85_000 };
    expect(found({ ...seen, interruptions: [later] })).toContain(what);
    const soon = [approval({ ...more, effects, deadlineAt: 70_000 })];
    expect(found({ ...seen, approvals: soon })).not.toContain(what);
  });

  test('reports an approval sent although somebody rejected it during the hold', () => {
    const reject = press({ person: 'U0BEN', action: 'reject', at: 32_000, acknowledgedAt: 32_050 });
    const answer = told('*Ana* was already approved: <it>', { person: 'U0BEN' });
    const presses = [press(), reject];
    const seen = { ...held(40_010), presses, told: [answer] };
    const what = 'approve was sent although somebody had rejected it while it was held';
    expect(found(seen)).toContain(what);
    const refused = audited('approvals.ballot', 'U0BEN', { action: 'reject', refused: 'guest' });
    expect(found({ ...seen, audit: [posted, ballot, refused, ...rest] })).not.toContain(what);
    // Nobody could check it, and its person was told so in time.
    const tried = told(
      'Request <it>: Gatepost could not check whether you can decide. Your decision does not count.',
      { person: 'U0BEN', at: 39_000 },
    );
    expect(found({ ...seen, told: [tried] })).not.toContain(what);
    expect(found({ ...seen, told: [{ ...tried, at: 40_500 }] })).toContain(what);
    // Slack was told that it arrived, and then the store did not take it.
    const unstored = told(
      'Your click on <it> was not recorded: Gatepost could not store it. Press again in a minute.',
      { person: 'U0BEN', at: 32_060 },
    );
    expect(found({ ...seen, told: [unstored] })).not.toContain(what);
    // They approved since, and that arrived first.
    const since = [...presses, press({ person: 'U0BEN', at: 32_010, acknowledgedAt: 32_020 })];
    const earlier = told('You have decided on <it> since, so this earlier press was not counted.', {
      person: 'U0BEN',
      at: 33_000,
    });
    expect(found({ ...seen, presses: since, told: [earlier] })).not.toContain(what);
    expect(found({ ...seen, presses: since })).toContain(what);
    expect(found({ ...seen, told: [earlier] })).toContain(what);
    const silent =
      'Request <it>: The service did not answer in time. Nothing was sent. Press again in a minute.';
    const nothing = told(silent, { person: 'U0BEN', at: 39_000 });
    expect(found({ ...seen, told: [nothing] })).not.toContain(what);
    const failed = silent.replace(
      'did not answer in time. Nothing was sent.',
      'answered with an error. Nothing was sent. It says: “Internal error.”',
    );
    const error = told(failed, { person: 'U0BEN', at: 39_000 });
    expect(found({ ...seen, told: [error] })).not.toContain(what);
    expect(found({ ...seen, told: [{ ...error, at: 40_500 }] })).toContain(what);
  });

  test('accepts an answer to their other account only', () => {
    const own = ['U0ANA', 'U0TWO', 'U0BEN'].map((person) => ({
      at: 0,
      person,
      can: true,
      serviceUser: person === 'U0BEN' ? 'ben' : 'ana',
    }));
    const timedOut = {
      at: 50_000,
      status: 'TIMED_OUT',
      how: 'deadline',
      serviceUser: null,
    } as const;
    const open = held(40_010, { calls: [read], effects: [timedOut] });
    const silent =
      'approve was acknowledged and not counted (it is TIMED_OUT), and they read nothing';
    const by = (person: string, rights: Evidence['rights'] = own) =>
      found({
        ...open,
        audit: [posted, ballot],
        rights,
        takeBacks: [{ ...back, person }],
        told: [{ ...undone, person }],
      });
    expect(by('U0TWO')).not.toContain(silent);
    expect(by('U0BEN')).toContain(silent);
    // Known to be theirs only since Slack confirmed their address.
    const late = [{ at: 0, person: 'U0ANA', can: false, serviceUser: null }, ...own];
    expect(by('U0TWO', late)).not.toContain(silent);
    expect(by('U0BEN', late)).toContain(silent);
  });

  test('accepts a rejection with their other account that may have arrived later', () => {
    const own = ['U0ANA', 'U0TWO'].map((person) => ({
      ...{ at: 0, person, can: true, serviceUser: 'ana' },
    }));
    const timedOut = effect({
      ...{ at: 50_000, status: 'TIMED_OUT', how: 'deadline', serviceUser: null },
    });
    const rejected = audited('approvals.ballot', 'U0TWO', { action: 'reject' });
    const silent =
      'approve was acknowledged and not counted (it is TIMED_OUT), and they read nothing';
    const acknowledged = (acknowledgedAt: number | null) =>
      found({
        ...held(40_010, { calls: [read], effects: [timedOut] }),
        audit: [posted, ballot, rejected],
        rights: own,
        presses: [
          press({ person: 'U0TWO', action: 'reject', at: 29_900, acknowledgedAt }),
          press({ at: 30_000 }),
        ],
      });
    expect(acknowledged(31_500)).not.toContain(silent);
    expect(acknowledged(null)).not.toContain(silent);
    expect(acknowledged(29_950)).toContain(silent);
  });

  test('reports a reply that names somebody who did not reject', () => {
    const text = '<@U0BEN> rejected <it> before your approval took effect.';
    expect(found({ ...held(40_010), told: [told(text)] })).toContain(
      'that U0BEN rejected it, who had not, or could not',
    );
  });
});
