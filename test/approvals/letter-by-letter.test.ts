import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { announcement } from '../../src/approvals/tell/message/announcement.ts';
import { approvalMessage } from '../../src/approvals/tell/message/message.ts';
import { overflowCount } from '../../src/approvals/tell/message/overflow.ts';
import { overflowMessage } from '../../src/approvals/tell/message/request-words.ts';
import { resultReply } from '../../src/approvals/tell/message/result.ts';
import { requestModal } from '../../src/approvals/ways-in/details.ts';
import { shownWhole } from '../../src/approvals/ways-in/list/home-view.ts';
import { isSeen } from '../../src/core/lib/clean-line.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { approvalWith, LINKS, NOW, routeWith, WAITING } from './approvals.ts';

const SIGNS = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1));
/** Alone, in pairs around a word, and doubled. */
const around = (sign: string) => `x${sign}y${sign} ${sign}z w${sign} ${sign}${sign}v${sign}${sign}`;

/** All text of rich text, in order. */
function wordsOf(part: unknown): string {
  if (Array.isArray(part)) return part.map(wordsOf).join('');
  if (typeof part !== 'object' || part === null) return '';
  const { text, url, elements } = part as { text?: unknown; url?: unknown; elements?: unknown };
  if (elements !== undefined) return wordsOf(elements);
  return typeof text === 'string' ? text : typeof url === 'string' ? url : '';
}

const route = routeWith({ several: true });

/** Everything that shows the whole request. */
const SURFACES: Readonly<Record<string, (approval: Approval) => unknown>> = {
  'the message': (approval) =>
    approvalMessage('0-a', approval, WAITING, { asOf: NOW, route }).blocks,
  Review: (approval) => requestModal(approval, { route, timing: TRUE_TIME, asOf: NOW }).blocks,
  'the reply that keeps it': (approval) => {
    const outcome = { status: 'TIMED_OUT', credit: 'none', by: [], learnedAt: NOW } as const;
    return announcement('outcome-request', approval, outcome, { asOf: NOW, route, links: LINKS })
      .blocks;
  },
  /** undefined: it has to be reviewed. */
  'a row of the Home tab': (approval) => shownWhole(approval, { routeNamed: () => route }),
};

/** As sent; characters that cannot be seen are spelled out. */
function spelled(text: string): string {
  return text.replace(/(?:(?![\t\n])\p{Cc})+/gu, (run) => {
    if (run[0] === '\x1b') return '\ufffd'.repeat(run.length);
    const hex = (run.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${hex}${run.length === 1 ? '' : ` × ${run.length}`}⟩`;
  });
}

describe.each(Object.entries(SURFACES))('%s shows letter by letter', (name, show) => {
  test('the value of a field', () => {
    for (const sign of SIGNS) {
      const text = around(sign);
      const fields = [
        ['Before', '`'],
        ['Command', text],
      ] as const;
      const shown = show(approvalWith({ fields }));
      if (shown === undefined) expect(spelled(text)).not.toBe(text);
      else expect(wordsOf(shown)).toContain(`Command: ${spelled(text)}`);
    }
  });

  test('the name of a field', () => {
    for (const sign of SIGNS.filter((each) => isSeen(each) && spelled(each) === each)) {
      const field = around(sign);
      expect(wordsOf(show(approvalWith({ fields: [[field, '1']] })))).toContain(`${field}: 1`);
    }
  });

  // A row of the Home tab shows none.
  test.each(name === 'a row of the Home tab' ? [] : ['a change'])('%s', () => {
    for (const sign of SIGNS) {
      const change = around(sign);
      expect(wordsOf(show(approvalWith({ change })))).toContain(spelled(change));
    }
  });
});

test('replies with the rest show letter by letter', () => {
  const shownIn = (approval: Approval) =>
    wordsOf(
      Array.from({ length: overflowCount(approval) }, (_, at) =>
        overflowMessage(approval, at + 1),
      ).map(({ blocks }) => blocks),
    );
  const long = 'long '.repeat(100);
  for (const sign of SIGNS) {
    const text = `${around(sign)} ${long}`;
    expect(shownIn(approvalWith({ fields: [['Command', text]] }))).toContain(spelled(text));
    if (!isSeen(sign) || spelled(sign) !== sign) continue;
    expect(shownIn(approvalWith({ title: text }))).toContain(text.trim());
    expect(shownIn(approvalWith({ requester: { name: text } }))).toContain(text.trim());
  }
});

test('a reported result shows letter by letter', () => {
  for (const sign of SIGNS) {
    const text = around(sign);
    const result = { state: 'failed', at: NOW, text } as const;
    expect(wordsOf(resultReply(approvalWith(), result, { links: LINKS }).blocks)).toContain(
      spelled(text),
    );
  }
});

test('a message keeps its code', () => {
  const { blocks } = approvalMessage('0-a', approvalWith({ message: 'Run `id`?' }), WAITING, {
    asOf: NOW,
    route,
  });
  expect(wordsOf(blocks)).toContain('Run id?');
});
