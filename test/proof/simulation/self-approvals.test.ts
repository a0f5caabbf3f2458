import { describe, expect, test } from 'vitest';
import { approval, audited, evidence, found, message, press, RECORD, told } from './evidence-of.ts';

/** Ana approves at 30 s what she asked for herself. */
const WHY = 'The shop is down.';
const gate = approval({
  authority: 'gatepost',
  isLoud: true,
  askers: ['U0ANA'],
  asked: ['U0ANA', 'U0BEN'],
  reasons: [{ person: 'U0ANA', action: 'approve', text: WHY }],
  effects: [],
  calls: [],
});
const quote = {
  type: 'rich_text',
  elements: [
    {
      type: 'rich_text_section',
      elements: [{ type: 'user', user_id: 'U0ANA' }],
    },
    { type: 'rich_text_quote', elements: [{ type: 'text', text: WHY }] },
  ],
};
const reply = (at = 31_000, to = '<@U0BEN>') => ({
  channel: 'C1',
  ts: '31.000000',
  versions: [
    {
      at,
      text: `:rotating_light: *Approval by its own requester* · ${to}: Ana asked for it.`,
      blocks: [quote],
      metadata: { record: RECORD, post: 'self-approval-30000' },
    },
  ],
  deletedAt: null,
});
const OWN = ':rotating_light: *Approved by its own requester <@U0ANA>*';
const button = { type: 'actions', elements: [{ action_id: 'approvals.reviewed' }] };
const main = (...said: (readonly [at: number, words: string, isOpen: boolean])[]) => {
  const plain = message([
    [10_000, ':hourglass: *Waiting for a decision*'],
    ...said.map(([at, words]) => [at, words] as const),
  ]);
  const versions = plain.versions.map((version, place) =>
    said[place - 1]?.[2] ? { ...version, blocks: [...version.blocks, button] } : version,
  );
  return { ...plain, versions };
};
const outcome = audited('approvals.outcome', 'U0ANA', {
  status: 'APPROVED',
  credit: 'certain',
  authority: 'gatepost',
});
const audit = [
  audited('approvals.post', 'gatepost', { post: 'message', channel: 'C1', ts: '10.000000' }),
  audited('approvals.ballot', 'U0ANA', { action: 'approve' }),
  outcome,
  audited('approvals.self-approval', 'U0ANA', {}),
];
const thread = evidence().messages.slice(1);
const approved = {
  approvals: [gate],
  presses: [press()],
  audit,
  messages: [main([32_000, OWN, true]), reply(), ...thread],
};
const saying = (...messages: readonly ReturnType<typeof main>[]) =>
  found({ ...approved, messages: [...messages, ...thread] });

describe('the checker of a loud self-approval', () => {
  test('requires a reply to the others with the reason before it, and a request for review', () => {
    expect(found(approved)).toBe('');
    expect(saying(main([32_000, OWN, true]))).toContain('and nobody was told before');
    expect(saying(main([32_000, OWN, true]), reply(33_000))).toContain(
      'and nobody was told before',
    );
    expect(saying(main([32_000, OWN, true]), reply(31_000, 'everybody here'))).toContain(
      'and not all of the others were told before',
    );
    expect(found({ ...approved, approvals: [{ ...gate, reasons: [] }] })).toContain(
      'who gave no reason',
    );
  });

  test('requires that the message and the log say so', () => {
    const quiet = ':white_check_mark: *Approved by <@U0ANA>*';
    expect(saying(main([32_000, quiet, false]), reply())).toContain('as if that was usual');
    expect(found({ ...approved, audit: audit.slice(0, 3) })).toContain('the log does not find');
  });
});

describe('the checker of the review of a self-approval', () => {
  const review = {
    person: 'U0BEN',
    approval: 'A1',
    at: 50_000,
    acknowledgedAt: 50_050,
    shown: null,
  };
  const REVIEWED = `${OWN}\n:eyes: Reviewed by <@U0BEN> today`;
  const entry = audited('approvals.self-approval.reviewed', 'U0BEN', { of: 'U0ANA' });
  const reviewed = {
    ...approved,
    reviews: [review],
    audit: [...audit, entry],
    messages: [main([32_000, OWN, true], [51_000, REVIEWED, false]), reply(), ...thread],
  };

  test('requires the request for it until another reviewer has pressed', () => {
    expect(saying(main([32_000, OWN, false]), reply())).toContain('nothing of who reviews it');
    expect(found(reviewed)).toBe('');
    expect(found({ ...reviewed, reviews: [] })).toContain('that U0BEN reviewed it, who had not');
    expect(found({ ...reviewed, messages: approved.messages })).toContain('does not say so');
    const asked = main([32_000, OWN, true], [51_000, REVIEWED, true]);
    expect(found({ ...reviewed, messages: [asked, reply(), ...thread] })).toContain(
      'that somebody has to review it, who had',
    );
  });

  test('reports a review by the requester', () => {
    const own = { ...review, person: 'U0ANA' };
    const words = REVIEWED.replace('U0BEN', 'U0ANA');
    const messages = [main([32_000, OWN, true], [51_000, words, false]), reply(), ...thread];
    expect(found({ ...approved, reviews: [own], messages })).toContain(
      'that U0ANA reviewed it, who had not, or could not',
    );
  });

  test('requires an answer to everybody who presses it', () => {
    expect(found({ ...approved, reviews: [review] })).toContain(
      'Reviewed was acknowledged, and neither counted nor answered',
    );
    const text = 'You asked for <it>, so another reviewer has to press Reviewed.';
    const seen = {
      ...approved,
      reviews: [review],
      told: [told(text, { person: 'U0BEN', at: 51_000 })],
    };
    expect(found(seen)).toContain('that they had asked for it');
  });

  test('reports a refusal of somebody who can decide, unless Slack did not know them then', () => {
    const text = 'Only people who can decide <it> can mark it as reviewed.';
    const refusal = told(text, { person: 'U0BEN', at: 52_000 });
    const seen = { ...approved, reviews: [review], told: [refusal] };
    const wrong = 'that they cannot review it, when they could';
    expect(found(seen)).toContain(wrong);
    expect(found({ ...seen, doubts: [{ from: 51_000, to: 53_000 }] })).not.toContain(wrong);
    expect(found({ ...seen, doubts: [{ from: 53_000, to: 55_000 }] })).toContain(wrong);
  });
});
