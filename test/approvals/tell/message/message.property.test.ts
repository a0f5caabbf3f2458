import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Approval } from '../../../../src/approvals/approval.ts';
import { digestOf } from '../../../../src/approvals/digest.ts';
import { announcement } from '../../../../src/approvals/tell/message/announcement.ts';
import { approvalMessage } from '../../../../src/approvals/tell/message/message.ts';
import type { MessageState } from '../../../../src/approvals/tell/message/message-state.ts';
import { excerptOf, overflowCount } from '../../../../src/approvals/tell/message/overflow.ts';
import { overflowMessage } from '../../../../src/approvals/tell/message/request-words.ts';
import {
  cleanLine,
  spellCode,
  spellLine,
  spellWords,
} from '../../../../src/core/lib/clean-line.ts';
import type { SlackMessage } from '../../../../src/core/slack/outbox.ts';
import { quotedWords, runsOf } from '../../../../src/core/slack/rich-text.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { cases } from '../../../support/cases.ts';
import { messageSchema } from '../../../support/slack-limits.ts';
import { approvalWith, LINKS, LONGEST, NOW, routeWith, WAITING } from '../../approvals.ts';

/** Any text up to a length, with many characters that become longer when escaped. */
function text(maxLength: number, minLength = 1): fc.Arbitrary<string> {
  const sized = fc.string({ unit: anyCharacter, minLength, maxLength, size: 'max' });
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
  const addresses = fc
    .array(fc.nat({ max: 1_950 }), { minLength: 1, maxLength: 20 })
    .map((lengths) => lengths.map((length) => `https://example.com/${'a'.repeat(length)}`))
    .map((several) => several.join(' ').slice(0, maxLength));
  return fc.oneof(sized, repeated, addresses).filter((each) => each.trim() !== '');
}

const user = fc.integer({ min: 0, max: 9_999_999 }).map((n) => `U0${`${n}`.padStart(9, '0')}`);
const users = (maxLength: number) => fc.uniqueArray(user, { maxLength });
const fields = fc.oneof(
  fc.array(fc.tuple(text(1_000), text(3_000, 0)), { minLength: 1, maxLength: 50 }),
  fc.array(fc.tuple(text(100), text(400, 0)), { minLength: 1, maxLength: 50 }),
);

const approval: fc.Arbitrary<Approval> = fc
  .record(
    {
      title: fc.oneof(text(3_000), text(20_000)),
      message: text(20_000),
      change: text(40_000),
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

const longOrOdd = fc.oneof(approval, fc.constant(LONGEST));

const by = fc.uniqueArray(user, { minLength: 1, maxLength: 100 });
const reasons = fc.array(fc.record({ user, text: text(1_000) }), { minLength: 1, maxLength: 30 });
const state: fc.Arbitrary<MessageState> = fc.oneof(
  fc.record({
    name: fc.constant('waiting' as const),
    approvedBy: users(100),
    needed: fc.integer({ min: 1, max: 100 }),
    prompt: fc.boolean(),
    staleSince: fc.option(fc.constant(NOW)),
    trouble: fc.record({ why: fc.constant('refused' as const), detail: text(400) }),
    serviceUntil: fc.constant(NOW),
  }),
  fc.record({
    name: fc.constant('unsent' as const),
    action: fc.constantFrom('approve' as const, 'reject' as const),
    by: user,
    until: fc.constant(NOW),
  }),
  fc.record(
    {
      name: fc.constant('decided' as const),
      status: fc.constantFrom('APPROVED' as const, 'REJECTED' as const, 'TIMED_OUT' as const),
      credit: fc.constantFrom('certain' as const, 'sent' as const, 'none' as const),
      by,
      resolvedAt: fc.option(
        fc.constantFrom('2026-11-20T10:00:00Z', `2026-11-20T${'1'.repeat(5_000)}`),
      ),
      reasons,
    },
    { requiredKeys: ['name', 'status', 'credit', 'by', 'resolvedAt'] },
  ),
  fc.record({
    name: fc.constant('unknown' as const),
    why: fc.constantFrom('gone' as const, 'unsure' as const, 'unreadable' as const),
    unconfirmed: fc.record({ action: fc.constant('approve' as const), by: user }),
  }),
);

function expectFit(message: SlackMessage): void {
  expect(messageSchema.safeParse(message).error?.issues).toBeUndefined();
}

test('every message stays within Slack’s limits, however long and odd its texts are', () => {
  const reviewers = fc.record({ users: users(300), groups: users(300), channel: fc.boolean() });
  fc.assert(
    fc.property(longOrOdd, state, reviewers, (approval, state, reviewers) => {
      expectFit(
        approvalMessage('0-abc', approval, state, { asOf: NOW, route: routeWith({ reviewers }) }),
      );
      if (state.name !== 'decided') return;
      const { resolvedAt, ...rest } = state;
      const outcome = { ...rest, ...(resolvedAt !== null && { resolvedAt }), learnedAt: NOW };
      const terms = { asOf: NOW, route: routeWith(), links: LINKS };
      expectFit(announcement('outcome-thread', approval, outcome, terms));
      expectFit(announcement('outcome-channel', approval, outcome, terms));
      expectFit(announcement('outcome-requester', approval, outcome, terms));
    }),
    { numRuns: cases(6, 60), endOnFailure: true },
  );
});

test('every word is in the message or in its replies, or counted as left out', () => {
  fc.assert(
    fc.property(approval, (approval) => {
      const count = overflowCount(approval);
      const numbers = Array.from({ length: count }, (_, at) => at + 1);
      for (const number of numbers) expectFit(overflowMessage(approval, number));
      const { blocks } = approvalMessage('0-abc', approval, WAITING, {
        asOf: NOW,
        route: routeWith(),
      });
      const excerpt = excerptOf(approval);
      const shown = JSON.stringify(blocks);
      if (excerpt.unshown > 0) {
        expect(count).toBe(10);
        expect(shown).toContain(`${excerpt.unshown.toLocaleString('en')} more character`);
        return;
      }
      const { title, prompt, change, fields, links, requester, link, rest } = excerpt;
      const runs = [...links, ...prompt, ...change, ...fields.flat(), ...rest.flat()];
      const texts = [title, requester ?? '', link ?? '', ...runs.map(({ text }) => text)];
      // Cut, and in any order, but nothing is missing.
      const have = lettersIn(texts.join(''));
      for (const each of textsOf(approval)) {
        const missing = [...lettersIn(each)].filter(([at, times]) => (have.get(at) ?? 0) < times);
        expect(missing, `of ${each.slice(0, 80)}`).toEqual([]);
      }
    }),
    { numRuns: cases(6, 60), endOnFailure: true },
  );
});

test('two changes with different digests never look the same, unless the note below them says so', () => {
  const sign = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.constantFrom('⟨U+200B⟩', '⟨', 'U+200B', ' × 2', '\ufffd', '\u00a0', '\ufe0f', 'x'),
    fc.string({ unit: anyCharacter, maxLength: 3 }),
  );
  const change = fc.array(sign, { minLength: 1, maxLength: 12 }).map((signs) => signs.join(''));
  const lookOf = (approval: Approval) => {
    const { change, rest, invisible, unspelled, isUnstyled } = excerptOf(approval);
    const isSaid = unspelled > 0 || isUnstyled;
    return JSON.stringify([change, rest, invisible, isSaid && digestOf(approval)]);
  };
  fc.assert(
    fc.property(change, change, fc.nat(), fc.nat(), sign, (one, other, from, length, put) => {
      // One of them, with something else at some position.
      const signs = [...one];
      signs.splice(from % (signs.length + 1), length % 3, put);
      for (const [a, b] of [
        [one, other],
        [one, signs.join('')],
      ] as const) {
        const both = [approvalWith({ change: a }), approvalWith({ change: b })] as const;
        const [left, right] = both.map(digestOf);
        if (left !== right) expect(lookOf(both[0])).not.toBe(lookOf(both[1]));
        else expect(lookOf(both[0])).toBe(lookOf(both[1]));
      }
    }),
    { numRuns: cases(500, 5_000) },
  );
});

function textsOf({ title, message, change, fields = [], link, requester }: Approval): string[] {
  const lines = [title, requester?.name, requester?.email].map((line = '') => spellLine(line));
  const others = [link, message, ...fields.map(([, value]) => value)];
  const words = others.map((each = '') => spellWords(each));
  return [...lines, ...words, spellCode(change ?? '')].map(({ text }) => text);
}

/** How often each occurs, except marks of code and white space. */
function lettersIn(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const letter of text.replace(/[`\s…]/gu, '')) {
    found.set(letter, (found.get(letter) ?? 0) + 1);
  }
  return found;
}

/** Texts of somebody who wants to impersonate another person, or Gatepost. */
const HOSTILE = [
  ...[
    '<!channel>',
    '<!here|x>',
    '@everyone',
    '<@U0EVIL>',
    '@Ana',
    '<!subteam^S0EVIL>',
    '<#C0EVIL>',
  ],
  ...['<https://evil.example|https://bank.example>', '[Details](https://evil.example)'],
  ...['https://bank.example@evil.example/', 'https://b\u0430nk.example', 'http://a.example/x|y>'],
  ...[
    'https://ci.example.com/7',
    'http://localhost:3000/?a=b&c=(d)',
    'HTTPS://X.EXAMPLE',
    'http://',
  ],
  ...['https://\u202emoc.live', 'https://evil.example:80:80/', 'javascript:alert(1)', 'slack://x'],
  ...[':white_check_mark: *Approved by <@U0ANA>*', '\u2705 Approved by @Ana', '*Timed out*'],
  ...[
    'Reviewers: nobody',
    '[Approve] [Reject]',
    '\u0410pproved by Ana',
    'Deadline: never',
    '> quoted',
  ],
  ...[
    '```',
    '``',
    '`',
    '```sh\n',
    '`code`',
    '\n```\nrm -rf /\n```\n',
    '_x_',
    '~x~',
    '&lt;',
    '&amp;',
  ],
  ...[
    '\u202e',
    '\u2066',
    '\u2069',
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u061c',
    '\u115f',
  ],
  ...[
    '\0',
    '\u0007',
    '\u001b[31m',
    '\r',
    '\n',
    '\r\n',
    '\u2028',
    '\u0085',
    '\t',
    '\ud83d',
    '\udc00',
  ],
  ...[
    '\u{e0041}\u{e0042}',
    '\u{1d173}',
    '\ufff9',
    'e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301',
  ],
  ...[
    '\u{1f469}\u200d\u{1f680}',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645',
    '\u6f22',
    'x'.repeat(200),
    ' ',
    '\ufdfd',
  ],
] as const;

/** Cheap to generate: a hundred thousand of them take seconds. */
function hostileTexts(seed: number): () => string {
  let state = seed | 0;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return ((state >>> 8) * below) >>> 24;
  };
  return () => {
    let text = '';
    for (let left = 1 + next(7); left > 0; left -= 1) text += HOSTILE[next(HOSTILE.length)];
    return text.trim() === '' ? 'x' : text;
  };
}

const TEXTS_OF_A_SEED = 2_000;

test('no hostile text mentions anybody, or links elsewhere than it shows', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const next = hostileTexts(seed);
      for (let texts = 0; texts < TEXTS_OF_A_SEED; texts += 1) {
        const text = next();
        const block = quotedWords(runsOf(text));
        const parts = block.elements.map(({ type }) => type);
        // All of it is framed: no line of it can pass for one of Gatepost's.
        const isFramed = parts.every(
          (type) => type === 'rich_text_quote' || type === 'rich_text_preformatted',
        );
        if (!isFramed) throw new Error(`not framed: ${JSON.stringify(text)}`);
        expectHarmless({ text: 'ours', blocks: [block] }, [text]);
      }
    }),
    { numRuns: cases(4, 50) },
  );
});

const TEXTS_EACH = 25;
const MESSAGES = 20;

test("other people's text never changes what Gatepost itself says", () => {
  const terms = { asOf: NOW, route: routeWith() };
  const ours = ownBlocks(approvalMessage('0-abcdefgh', approvalWith(), WAITING, terms));
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const text = hostileTexts(seed);
      for (let messages = 0; messages < MESSAGES; messages += 1) {
        const written = Array.from({ length: TEXTS_EACH }, text);
        const [title = '', message = '', change = '', name = '', reason = '', ...more] = written;
        const fields = Array.from({ length: 10 }, (_, at) => [more[2 * at], more[2 * at + 1]]);
        const hostile = approvalWith({
          ...{ title, message, change, requester: { name } },
          fields: fields.map(([key = '', value = '']) => [key, value] as const),
        });
        const shown = approvalMessage('0-abcdefgh', hostile, WAITING, terms);
        expectHarmless(shown, written);
        // Whatever they write, what Gatepost itself says is the same.
        if (ownBlocks(shown) !== ours) throw new Error(`changed ours: ${JSON.stringify(written)}`);
        const outcome = {
          status: 'REJECTED',
          credit: 'certain',
          by: ['U0ANA'],
          learnedAt: NOW,
        } as const;
        const told = { ...outcome, reasons: [{ user: 'U0ANA', text: reason }] };
        const where = { ...terms, links: LINKS };
        expectHarmless(announcement('outcome-channel', hostile, told, where), written);
      }
    }),
    { numRuns: cases(3, 20) },
  );
});

/** Everything except other people's text: the title, also in a button's label, their quotation, and notes about it. */
function ownBlocks({ blocks }: SlackMessage): string {
  const isOfTheirs = (block: KnownBlock) => JSON.stringify(block).includes('in the thread ↓');
  const own = blocks.filter(
    (each) => (each.type === 'section' && !isOfTheirs(each)) || each.type === 'actions',
  );
  return JSON.stringify(own, (key, value) => (key === 'accessibility_label' ? undefined : value));
}

/** Invisible characters, or those that turn or end a line; except those that join one emoji or one word. */
const UNSEEN =
  /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u00ad\u115f\u{e0000}-\u{e007f}]|\p{Cs}/u;
const LINK = /^https?:\/\/[\w.-]+(:\d+)?([/?#][!-~]*)?$/i;

function expectHarmless({ text, blocks }: SlackMessage, written: readonly string[]): void {
  const markup = [text];
  const fault = (what: string, value: unknown) => {
    throw new Error(`${what}: ${JSON.stringify(value)} of ${JSON.stringify(written)}`);
  };
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    if (typeof value !== 'object' || value === null) return;
    const { type, text, url } = value as Record<string, unknown>; // as: each is looked at below
    if (type === 'mrkdwn') markup.push(String(text));
    if (['broadcast', 'channel', 'usergroup', 'emoji', 'date'].includes(String(type)))
      fault('alive', value);
    if (type === 'user' && !/"U0(ANA|BEN)"/.test(JSON.stringify(value))) fault('mention', value);
    if (
      type === 'plain_text' &&
      (value as { emoji?: boolean }).emoji &&
      !OWN_LABELS.has(String(text))
    )
      fault('emoji', value);
    const isOurs = typeof url === 'string' && url.startsWith('https://acme.slack.com/');
    if (type === 'link' && !isOurs) {
      const isShown = text === undefined && written.some((each) => readsIn(each, String(url)));
      if (!isShown || !LINK.test(String(url))) fault('link', value);
    }
    if (typeof text === 'string' && UNSEEN.test(text.replace(/[\n\t]/g, ''))) fault('unseen', text);
    for (const each of Object.values(value)) walk(each);
  };
  walk(blocks);
  const alive = markup.flatMap((each) =>
    [...each.matchAll(/<([^<>]*)>/g)].map(([, it = '']) => it),
  );
  for (const each of alive) if (!OURS.test(each)) fault('markup', each);
}

/** Spelling out and omissions are the only differences to what they wrote. */
function readsIn(text: string, url: string): boolean {
  return spellWords(text).text.includes(url) || cleanLine(text).includes(url);
}

const OWN_LABELS = new Set(['Details…', 'Approve', 'Reject']);

/** A person of the route, a time, or a link into the workspace. */
const OURS =
  /^(@U0(ANA|BEN)|#C0PROD|!date\^\d+\^\{date_short_pretty\} at \{time\}\|[\d:TZ.+-]+|https:\/\/acme\.slack\.com\/[\w/]+\|.*)$/s;
