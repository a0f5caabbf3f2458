import { describe, expect, test } from 'vitest';
import {
  type Inline,
  type Passage,
  parseMrkdwn,
} from '../../sandbox/page/client/text/parse-mrkdwn.ts';
import type { Approval, Outcome } from '../../src/approvals/approval.ts';
import { titleOf } from '../../src/approvals/digest.ts';
import {
  type AnnouncementName,
  announcement,
} from '../../src/approvals/tell/message/announcement.ts';
import { approvalMessage } from '../../src/approvals/tell/message/message.ts';
import type { MessageState } from '../../src/approvals/tell/message/message-state.ts';
import { reminderMessage } from '../../src/approvals/tell/message/reminder.ts';
import { overflowMessage } from '../../src/approvals/tell/message/request-words.ts';
import { resultReply } from '../../src/approvals/tell/message/result.ts';
import { selfApprovalMessage } from '../../src/approvals/tell/message/self-approval.ts';
import { CLICK_TROUBLE, named } from '../../src/approvals/tell/message/sentences.ts';
import { noticeMessage } from '../../src/approvals/ways-in/absence/away-words.ts';
import type { SlackMessage } from '../../src/core/slack/outbox.ts';
import {
  approvalWith,
  closedSentence,
  DECIDING,
  LINKS,
  NOW,
  routeWith,
  said,
  WAITING,
} from './approvals.ts';

/** What a phone shows first, of every kind of message. */

const route = routeWith();
const terms = { asOf: NOW, route, links: LINKS };
const outcome: Outcome = { status: 'REJECTED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW };
const STATES: readonly MessageState[] = [
  WAITING,
  { ...WAITING, posting: true },
  { ...WAITING, serviceUntil: NOW },
  { name: 'held', approvedBy: ['U0BEN'], until: NOW },
  { name: 'unsent', action: 'approve', by: 'U0BEN', until: NOW },
  { name: 'sending', action: 'approve', by: 'U0BEN' },
  { name: 'unconfirmed', action: 'approve', by: 'U0BEN' },
  { ...outcome, name: 'decided', resolvedAt: null },
  { ...outcome, name: 'decided', resolvedAt: null, folded: true },
  { name: 'withdrawn' },
  { name: 'unknown', why: 'gone' },
];
const ANNOUNCEMENTS: readonly AnnouncementName[] = [
  'outcome-thread',
  'outcome-request',
  'outcome-channel',
  'outcome-requester',
  'outcome-giver-U0ANA',
];
const SENTENCES = [
  closedSentence('silent', 'Busy.'),
  said({ code: 'outcome', outcome }),
  said({ code: 'decided', outcome, action: 'approve' }),
  said({ code: 'waiting' }),
  said({ code: 'withdrawn' }),
  ...Object.values(CLICK_TROUBLE),
];
const KINDS: Readonly<Record<string, readonly ((approval: Approval) => SlackMessage)[]>> = {
  'the message': STATES.map(
    (state) => (approval) => approvalMessage('0-a', approval, state, terms),
  ),
  'a reply with the rest': [(approval) => overflowMessage(approval, 1)],
  'an announcement': [
    terms,
    { ...terms, route: routeWith({ outcomes: { ...route.outcomes, thread: false } }) },
  ].flatMap((each) =>
    ANNOUNCEMENTS.map(
      (name) => (approval: Approval) => announcement(name, approval, outcome, each),
    ),
  ),
  'a reminder': ['reminder-1', 'last-call', 'escalation-1'].map(
    (name) => (approval) => reminderMessage(name, approval, terms),
  ),
  'a self-approval': [
    (approval) => {
      const ballot = { user: 'U0BEN', action: 'approve', at: NOW, self: true } as const;
      return selfApprovalMessage({ ...approval, decision: DECIDING, ballots: [ballot] }, terms);
    },
  ],
  'a result': [
    (approval) =>
      resultReply(approval, { state: 'failed', at: NOW, text: 'No.' }, { links: LINKS }),
  ],
  'a sentence': SENTENCES.map((sentence) => (approval) => ({
    text: named(sentence, titleOf(approval), 'https://acme.slack.com/archives/C0PROD/p171'),
    blocks: [],
  })),
};

/** What takes effect, and the text that is left. */
function shownBy(passages: readonly (Passage | Inline)[]): { effects: string[]; words: string } {
  const all = passages.map((each) => {
    if ('inside' in each) {
      const { effects, words } = shownBy(each.inside);
      return { effects: [each.kind, ...effects], words };
    }
    if (each.kind === 'text') return { effects: [], words: each.text };
    if (each.kind === 'emoji') return { effects: [each.name], words: '' };
    const words = 'label' in each ? each.label : 'text' in each ? each.text : '';
    return { effects: [each.kind], words: each.kind === 'link' ? words : '' };
  });
  return {
    effects: all.flatMap(({ effects }) => effects),
    words: all.map(({ words }) => words).join(''),
  };
}

/** Look-alikes as what they look like. */
const read = (words: string) =>
  words.replace(/[∗ˍˋ∼∶]/gu, (sign) => '*_`~:'.charAt('∗ˍˋ∼∶'.indexOf(sign)));

const PLAIN = 'Deploy';
const HOSTILE = [
  ':white_check_mark: Approved by Ana · done',
  '*Approved* by _Ana_',
  'Approved: ~no~ `yes`',
  ':+1::skin-tone-2: :Grüner_Haken: :100:',
  '> *:tada:* <!channel> <https://evil.example|ok>',
];

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  test.each(HOSTILE)('begins with our words, and shows as text: %s', (hostile) => {
    const asked = (words: string) => {
      const who = { requester: { name: words }, sourceName: words };
      return approvalWith({ title: words, message: 'long '.repeat(900), ...who });
    };
    for (const build of kind) {
      const [plain, shown] = [PLAIN, hostile].map((words) => build(asked(words)).text);
      const [ours, theirs] = [plain, shown].map((text = '') => shownBy(parseMrkdwn(text)));
      expect(theirs?.effects).toEqual(ours?.effects);
      expect(ours?.words.indexOf(PLAIN)).not.toBe(0);
      expect(plain?.startsWith(PLAIN)).toBe(false);
      expect(read(theirs?.words ?? '')).toBe(ours?.words.replaceAll(PLAIN, hostile));
    }
  });
});

test('a message without a title begins with our words', () => {
  const message = ':white_check_mark: Approved by Ana · done';
  const { title, ...untitled } = approvalWith({ message });
  expect(approvalMessage('0-a', untitled, WAITING, terms).text).toBe(
    'Decision needed: ∶white_check_mark: Approved by Ana · done',
  );
});

test.each(['named', 'back', 'replaced', 'declined', 'away'] as const)(
  'a notice about an absence begins with our words: %s',
  (kind) => {
    const notice = { kind, of: 'U0ANA', until: NOW };
    const { text } = noticeMessage(notice, { ids: ['U0ANA'] }, { person: () => PLAIN });
    expect(text.indexOf(PLAIN)).toBeGreaterThan(1);
  },
);
