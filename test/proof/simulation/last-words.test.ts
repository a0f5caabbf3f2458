import { describe, expect, test } from 'vitest';
import { approval, call, evidence, found, message, RECORD, WAITING } from './evidence-of.ts';

const APPROVED = ':white_check_mark: *Approved by <@U0ANA>* · just now';
const REJECTED = ':x: *Rejected by <@U0ANA>* · just now';
const UNKNOWN = ':grey_question: *Unknown*';
const SENDING = ":hourglass_flowing_sand: *Sending <@U0ANA>'s approval*";
const WITHDRAWN = ':no_entry_sign: *Withdrawn*';
const READ = { operation: 'read', action: null, serviceUser: null } as const;
const BUTTONS = {
  type: 'actions',
  elements: [{ type: 'button', action_id: 'approvals.ballot.approve' }],
};

type Said = readonly [at: number, words: string, sentAt?: number];

/** The message, of which it is known when each version was sent; by default just before. */
const saying = (...said: readonly Said[]) => {
  const [first, ...others] = evidence().messages;
  const all = [[10_000, WAITING] as Said, ...said, [90_000, said[0]?.[1] ?? ''] as Said];
  const main = message(all.map(([at, words]) => [at, words] as const));
  const versions = main.versions.map((version, place) => ({
    ...version,
    sentAt: all[place]?.[2] ?? version.at - 10,
  }));
  return first === undefined ? [] : [{ ...main, versions }, ...others];
};

test.each<[string, readonly Said[], string]>([
  [
    'waiting',
    [
      [41_000, APPROVED],
      [42_000, WAITING],
    ],
    'that it was not over',
  ],
  [
    'unknown',
    [
      [41_000, APPROVED],
      [42_000, UNKNOWN],
    ],
    'that it was not over',
  ],
  [
    'being decided',
    [
      [41_000, APPROVED],
      [42_000, SENDING],
    ],
    'that it was not over',
  ],
  [
    'another outcome',
    [
      [41_000, APPROVED],
      [42_000, REJECTED],
    ],
    'REJECTED',
  ],
  [
    'withdrawn',
    [
      [41_000, APPROVED],
      [42_000, WITHDRAWN],
    ],
    'withdrawn',
  ],
])(
  'the checker reports a message that shows an outcome and then that it is %s',
  (_state, said, then) => {
    const wrong = `false message in C1 said APPROVED, and then ${then}`;
    expect(found({ messages: saying(...said) })).toContain(wrong);
  },
);

test('the checker accepts an earlier update that arrives late, if it is corrected', () => {
  expect(found({ messages: saying([41_000, APPROVED], [42_000, SENDING, 40_900]) })).toBe('');
  const sent = saying([41_000, APPROVED], [42_000, SENDING, 41_100]);
  expect(found({ messages: sent })).toContain('said APPROVED, and then that it was not over');
  const unknown = sent.map((each) => ({
    ...each,
    versions: each.versions.map(({ sentAt, ...version }) => version),
  }));
  expect(found({ messages: unknown })).toBe('');
});

test('the checker accepts the same outcome again, without buttons', () => {
  expect(found({ messages: saying([41_000, APPROVED], [42_000, APPROVED]) })).toBe('');
  const [main, ...others] = saying([41_000, APPROVED], [42_000, APPROVED]);
  if (main === undefined) throw new Error('there is no message');
  const versions = main.versions.map((version, place) =>
    place === 2 ? { ...version, blocks: [...version.blocks, BUTTONS] } : version,
  );
  expect(found({ messages: [{ ...main, versions }, ...others] })).toBe(
    'false message in C1 said APPROVED, and then APPROVED, with buttons',
  );
});

describe('after a store went back, the checker', () => {
  const lapse = { from: 40_500, at: 43_000, keptAcknowledged: true };
  const back = { messages: saying([41_000, APPROVED], [45_000, WAITING]), lapses: [lapse] };
  const wrong = 'said APPROVED, and then that it was not over';
  const read = (at: number, heard: boolean) => call({ ...READ, at, heard });
  const approvals = (...calls: ReturnType<typeof call>[]) => [
    approval({ calls: [read(39_000, true), call(), ...calls] }),
  ];

  test('accepts a message without the outcome until the service was read', () => {
    expect(found({ ...back, approvals: approvals() })).not.toContain(wrong);
    expect(found({ ...back, approvals: approvals(read(44_000, false)) })).not.toContain(wrong);
    // By a process whose last note the store may have forgotten.
    expect(found({ ...back, approvals: approvals(read(44_000, true)) })).not.toContain(wrong);
    const later = { ...back, messages: saying([41_000, APPROVED], [47_000, WAITING]) };
    expect(found({ ...later, approvals: approvals(read(45_500, true)) })).toContain(wrong);
    const still = [{ from: 46_900, to: 60_000, what: 'bot-1 stands still' }];
    const stopped = { ...later, approvals: approvals(read(45_500, true)), interruptions: still };
    expect(found(stopped)).not.toContain(wrong);
    const unsaved = (at: number) =>
      found({ ...stopped, interruptions: [], delays: [{ record: RECORD, at }] });
    expect(unsaved(45_600)).not.toContain(wrong);
    for (const at of [45_400, 48_600]) expect(unsaved(at)).toContain(wrong);
    const late = { ...read(45_500, true), heardAt: 47_500 };
    expect(found({ ...later, approvals: approvals(late) })).not.toContain(wrong);
    const refused = { ...read(45_500, true), status: 400 };
    expect(found({ ...later, approvals: approvals(refused) })).not.toContain(wrong);
    const withdrawn = saying([41_000, WITHDRAWN], [47_000, WAITING]);
    const seen = { ...back, messages: withdrawn, approvals: approvals(read(45_500, true)) };
    expect(found(seen)).not.toContain('said withdrawn');
    const before = { ...back, lapses: [{ ...lapse, from: 36_000, at: 37_900 }] };
    expect(found({ ...before, approvals: approvals() })).toContain(wrong);
  });

  const CONFIRMING =
    ":hourglass_flowing_sand: *Waiting for the service* · it has not confirmed <@U0ANA>'s approval yet";
  const sent = { operation: 'respond', at: 39_900 } as const;
  const tried = (...reads: number[]) => [
    approval({
      calls: [read(39_000, true), call({ heard: true })],
      tries: [sent, ...reads.map((at) => ({ operation: 'read', at }) as const)],
    }),
  ];

  test('reports one that can be decided again before anybody tried to read the service', () => {
    expect(found({ ...back, approvals: tried(39_000) })).toContain(wrong);
    // The read may not have arrived.
    expect(found({ ...back, approvals: tried(39_000, 44_000) })).not.toContain(wrong);
    const stale = `${WAITING}\n:warning: The service has not answered since then`;
    const waits = ':hourglass: *Waiting for the service* · <@U0ANA> pressed';
    for (const words of [stale, waits]) {
      const messages = saying([41_000, APPROVED], [45_000, words]);
      expect(found({ ...back, messages, approvals: tried() })).not.toContain(wrong);
    }
    const interruptions = [{ from: 42_000, to: 44_000, what: 'bot-1 stands still' }];
    expect(found({ ...back, interruptions, approvals: tried() })).not.toContain(wrong);
  });

  test('reports one that says of a confirmed decision that it is not', () => {
    const messages = saying([41_000, APPROVED], [45_000, CONFIRMING]);
    expect(found({ ...back, messages, approvals: tried() })).toContain(wrong);
    expect(found({ ...back, messages, approvals: tried(44_000) })).not.toContain(wrong);
    const unheard = tried().map((each) => ({ ...each, calls: [call({ heard: false })] }));
    expect(found({ ...back, messages, approvals: unheard })).not.toContain(wrong);
    const twice = tried().map((each) => ({ ...each, tries: [sent, sent] }));
    expect(found({ ...back, messages, approvals: twice })).not.toContain(wrong);
  });

  test('reports one that no longer names who decided, unless that was on its way', () => {
    const elsewhere = ':white_check_mark: *Approved elsewhere* · just now';
    const wrong = 'false message in C1 named U0ANA, and then nobody';
    const messages = saying([41_000, APPROVED], [45_000, elsewhere]);
    expect(found({ ...back, messages })).toContain(wrong);
    expect(found({ ...back, messages: saying([41_000, APPROVED], [45_000, APPROVED]) })).toBe('');
    const late = saying([44_000, APPROVED, 42_900], [45_000, elsewhere]);
    expect(found({ ...back, messages: late })).not.toContain(wrong);
    const before = saying([41_000, APPROVED], [45_000, elsewhere, 40_900]);
    expect(found({ ...back, messages: before })).not.toContain(wrong);
  });

  test('does not accept another outcome', () => {
    const other = saying([41_000, APPROVED], [45_000, REJECTED]);
    expect(found({ messages: other, lapses: [lapse], approvals: approvals() })).toContain(
      'said APPROVED, and then REJECTED',
    );
  });

  test('requires the outcome of an own gate to be taken from its message', () => {
    const own = [approval({ authority: 'gatepost', effects: [], calls: [] })];
    expect(found({ ...back, approvals: own })).toContain(wrong);
    const late = saying([44_000, APPROVED, 42_900], [45_000, WAITING]);
    expect(found({ ...back, messages: late, approvals: own })).not.toContain(wrong);
    const after = saying([44_000, APPROVED, 43_100], [45_000, WAITING]);
    expect(found({ ...back, messages: after, approvals: own })).toContain(wrong);
    const withdrawals = [{ at: 20_000, answeredAt: 20_100 }];
    const withdrawn = own.map((each) => ({ ...each, announced: [], withdrawals }));
    const messages = saying([41_000, WITHDRAWN], [45_000, WAITING]).slice(0, 1);
    const seen = { approvals: withdrawn, messages, presses: [], audit: null };
    const gone = 'false message in C1 said withdrawn, and then that it was not over';
    expect(found({ ...seen, lapses: [lapse] })).toBe('');
    expect(found(seen)).toBe(gone);
  });
});
