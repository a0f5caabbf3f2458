import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import {
  announcement,
  approvalMessage,
  overflowMessage,
  type SlackMessage,
} from '../../src/approvals/message/message.ts';
import type { MessageState } from '../../src/approvals/message/message-state.ts';
import {
  excerptOf,
  overflowCount,
  overflowSections,
} from '../../src/approvals/message/overflow.ts';
import { cleanLine } from '../../src/lib/clean-line.ts';
import { messageSchema } from '../../src/slack/limits.ts';
import { escapeMrkdwn } from '../../src/slack/text.ts';
import { approvalWith, NOW, routeWith } from './approvals.ts';

/** Any text up to some length, with much of what becomes longer when it is escaped. */
function text(maxLength: number, minLength = 1): fc.Arbitrary<string> {
  const sized = fc.string({ unit: 'binary', minLength, maxLength, size: 'max' });
  const markup = fc.constantFrom(
    '&',
    '<',
    '>',
    '&amp;',
    '<!channel>',
    '👩‍👩‍👧‍👦',
    '*',
    '`',
    ';',
    '\n',
  );
  const repeated = fc
    .tuple(fc.array(markup, { minLength: 1, maxLength: 6 }), fc.nat({ max: maxLength }))
    .map(([posts, length]) => posts.join('').repeat(length).slice(0, Math.max(length, minLength)));
  return fc.oneof(sized, repeated).filter((each) => each.trim() !== '');
}

const user = fc.integer({ min: 0, max: 9_999_999 }).map((n) => `U0${`${n}`.padStart(9, '0')}`);
const users = (maxLength: number) => fc.uniqueArray(user, { maxLength });
const fields = fc.oneof(
  fc.array(fc.tuple(text(3_000), text(6_000, 0)), { minLength: 1, maxLength: 50 }),
  fc.array(fc.tuple(text(100), text(400, 0)), { minLength: 1, maxLength: 50 }),
);

const approval: fc.Arbitrary<Approval> = fc
  .record(
    {
      title: text(3_000),
      message: text(20_000),
      fields,
      link: text(1_980).map((tail) => `https://example.com/${tail}`),
      requester: fc.oneof(
        fc.record({ name: text(5_000) }),
        fc.record({ email: text(300) }),
        fc.record({ user }),
      ),
      expiresAt: fc.integer({ min: NOW, max: NOW + 10 ** 12 }),
      narrowedTo: fc.record({ users: users(200), groups: users(20) }),
    },
    { requiredKeys: [] },
  )
  .map(approvalWith);

const by = fc.uniqueArray(user, { minLength: 1, maxLength: 100 });
const state: fc.Arbitrary<MessageState> = fc.oneof(
  fc.record({
    name: fc.constant('waiting' as const),
    approvedBy: users(100),
    needed: fc.integer({ min: 1, max: 100 }),
    prompt: fc.boolean(),
    staleSince: fc.option(fc.constant(NOW)),
    trouble: fc.record({ why: fc.constant('refused' as const), detail: text(400) }),
  }),
  fc.record({
    name: fc.constant('deciding' as const),
    action: fc.constantFrom('approve' as const, 'reject' as const),
    by: user,
  }),
  fc.record({
    name: fc.constant('decided' as const),
    status: fc.constantFrom('APPROVED' as const, 'REJECTED' as const, 'TIMED_OUT' as const),
    credit: fc.constantFrom('certain' as const, 'sent' as const, 'none' as const),
    by,
    resolvedAt: fc.option(
      fc.constantFrom('2026-11-20T10:00:00Z', `2026-11-20T${'1'.repeat(5_000)}`),
    ),
  }),
  fc.record({
    name: fc.constant('unknown' as const),
    why: fc.constantFrom('gone' as const, 'unsure' as const, 'unreadable' as const),
    unconfirmed: fc.record({ action: fc.constant('approve' as const), by: user }),
  }),
);

function expectFit(message: SlackMessage): void {
  expect(messageSchema.safeParse(message).error?.issues).toBeUndefined();
}

test('Slack takes every message, however long and odd its texts are', () => {
  const reviewers = fc.record({ users: users(300), groups: users(300), channel: fc.boolean() });
  fc.assert(
    fc.property(approval, state, reviewers, (approval, state, reviewers) => {
      expectFit(approvalMessage('0-abc', approval, state, { route: routeWith({ reviewers }) }));
      if (state.name !== 'decided') return;
      const { resolvedAt, ...rest } = state;
      const outcome = { ...rest, ...(resolvedAt !== null && { resolvedAt }), learnedAt: NOW };
      expectFit(announcement('outcome-thread', approval, outcome));
      expectFit(announcement('outcome-channel', approval, outcome));
      expectFit(announcement('outcome-requester', approval, outcome));
    }),
    { numRuns: 100 },
  );
});

test('every word is in the message or in the replies below it, unless it is counted', () => {
  fc.assert(
    fc.property(approval, (approval) => {
      const count = overflowCount(approval);
      const numbers = Array.from({ length: count }, (_, at) => at + 1);
      for (const number of numbers) expectFit(overflowMessage(approval, number));
      const state = { name: 'waiting', approvedBy: [], needed: 1, prompt: false } as const;
      const { blocks } = approvalMessage('0-abc', approval, state, { route: routeWith() });
      const title = blocks[0]?.type === 'header' ? blocks[0].text.text : '';
      const shown = [
        escapeMrkdwn(title),
        ...blocks
          .slice(1)
          .flatMap((block) => {
            if (block.type === 'section') return [block.text, ...(block.fields ?? [])];
            return block.type === 'context' ? block.elements : [];
          })
          .map((each) => (each !== undefined && 'text' in each ? each.text : '')),
      ];
      const excerpt = excerptOf(approval);
      const replies = numbers.flatMap((number) => overflowSections(excerpt, number)).join('');
      if (excerpt.unshown > 0) {
        expect(count).toBe(10);
        expect(shown.join()).toContain(`${excerpt.unshown.toLocaleString('en')} more character`);
        return;
      }
      for (const each of textsOf(approval)) expectShown(escapeMrkdwn(each), shown, replies);
    }),
    { numRuns: 100 },
  );
});

function textsOf({ title, message, fields = [], link, requester }: Approval): string[] {
  const lines = [title, requester?.name, requester?.email].map((line = '') => cleanLine(line));
  const others = [message, link?.replaceAll('|', '%7C'), ...fields.flat()];
  return [...lines, ...others.filter((each) => each !== undefined)];
}

/** In one piece above or below, or begun above and continued below. */
function expectShown(escaped: string, shown: readonly string[], replies: string): void {
  if (replies.includes(escaped) || shown.some((each) => each.includes(escaped))) return;
  const isContinued = shown.some((each) => {
    const head = each.endsWith('…') ? each.slice(0, -1) : undefined;
    return (
      head !== undefined &&
      escaped.startsWith(head) &&
      replies.includes(`…${escaped.slice(head.length)}`)
    );
  });
  expect(isContinued, `${escaped.slice(0, 80)} is shown whole`).toBe(true);
}

test('nothing of other people comes alive', () => {
  fc.assert(
    fc.property(approval, (approval) => {
      const state = { name: 'waiting', approvedBy: [], needed: 1, prompt: false } as const;
      const { text, blocks } = approvalMessage('0-abc', approval, state, { route: routeWith() });
      const replies = Array.from({ length: overflowCount(approval) }, (_, at) =>
        overflowMessage(approval, at + 1),
      );
      // A header is plain text.
      const markup = [text, ...blocks.slice(1), ...replies].map((each) => JSON.stringify(each));
      const alive = markup.flatMap((each) => [...each.matchAll(/<([^<>]*)>/g)].map(([, it]) => it));
      expect(alive.filter((each) => !OURS.test(each ?? ''))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

/** A person, a group, a time, or the one link. */
const OURS =
  /^(@U0\w+|!subteam\^U0\d+|!date\^\d+\^\{date_short_pretty\} at \{time\}\|[\d:TZ.+-]+|https:\/\/example\.com\/[^|]*\|(Details|the link))$/s;
