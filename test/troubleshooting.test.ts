import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { refusalsTo } from '../src/core/people/denials.ts';

/**
 * docs/troubleshooting.md has every sentence that somebody can read when something went wrong. What people
 * read is in test/words.snapshot; its words tell what of it is about trouble.
 * Left out by kind: sentences that say what to do, those after which nothing is to be done, those with a page of their
 * own, and those that are only a part of another one.
 */

const TROUBLE = [
  /\b(cannot|can no longer|could not|did not|does not|do not|was not|were not|is not|has no|have no)\b/i,
  /\b(no longer|not known|not counted|nothing (was|is|can)|nobody (can|was)|no (account|answer|route)\b)/i,
  /\b(refuse[sd]?|failed|deactivated|invalid|missing|unknown|interrupted|too (busy|long|many)|went wrong)\b/i,
  /\b(has|have) changed\b|\bseveral (accounts|records|projects)\b|\bis off until\b|\bcopy of\b|\btimed out\b/i,
];

/** An instruction after what went wrong; “Ask a Gatepost administrator” is none for administrators, who look here. */
const ADVICE =
  /(?:[.;:!] |, )(?:then |or |(?:When|If) [^.]*, )?(?:Add|Ask(?! a Gatepost administrator)|Check|Choose|Clean|Close|Convert|Copy|Correct|Decide|Enter|Give|Have|Invite|Look|Make|Name|Open|Paste|Press|Put|Request|Review|Run|Search|Send|Set|Start|Stop|Take|Try|Type|Use|Wait|Write)\b|\bpress (?:again|\*)|, leave --/;

/** Outcomes after which nothing is to be done. */
const OUTCOMES = [
  /^\{REQUEST\} (?:was already|was withdrawn by the automation|timed out)\b|^ Your .* was not counted\.$|^Timed out$/,
  /^You have decided on |^The \{what\} of .* no longer /,
  // What is needed says who has to press.
  /^The approval of .* no longer counts: .* \{moreNeeded\(progress\)\}$/,
  /no longer stands? in for (?:you|<)|is not linked with any account|^Route .* is not closed|^Route .* has been .* since/,
];

/** Sentences with another page, and why they are not on this one too. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^app\/(?!start-failure)|^main\.ts|^core\/engine\//, 'log messages: docs/logs-and-metrics.md'],
  [/^core\/slack\/boundary\.ts: [^.]*$/, 'log messages'],
  [
    /^approvals\/ways-in\/waiting\.ts|^core\/slack\/(identity|keep-socket-line|socket-receiver)\.ts/,
    'log',
  ],
  [/alerts?\b[^/:]*\.ts:|^core\/alerts\/|link-conflict\.ts/, 'alerts: docs/configuration.md'],
  [
    /^core\/http\/|contract\.ts:|ask\/contract\/approval-details\.ts|approvals\/(ways-in|tell)\/(approval-(request|view)|intake(-calls)?|own-key|source-requests)\.ts/,
    'the intake: docs/intake.md',
  ],
  [/ways-in\/gates\//, 'docs/asking.md, "One address"'],
  [
    /ways-in\/(take-report|add-requester|reviewer-emails)\.ts|tasks-route\.ts|task-request\.ts|catalogue-(route|request)\.ts/,
    'the intake: docs/intake.md',
  ],
  [
    /^core\/config\/|redis-address\.ts|read-email\.ts/,
    'settings: each names its key and what is wrong',
  ],
  [/ask\/own-process\.ts/, 'what is wrong around a command: each says all of it'],
  [/^cli\/doctor\//, 'each line of doctor is followed by what to do'],
  [
    /^cli\/(story|mcp(-\w+)?)\.ts|ways-in\/mcp\//,
    'a history; and what agents read: docs/asking.md',
  ],
  [/^cli\/audit\/(evidence|report-\w+)\.ts/, 'what a report says: docs/operations.md'],
  [/(details|message\/rules)\.ts: (Guests|The person who)/, 'rules, not errors'],
  [/time-line\.ts|message\/(result|waited-for)\.ts/, 'states and history, not errors'],
  [/store\/(audit-chain|checkpoint)\.ts/, 'findings of audit verify: docs/operations.md'],
  [
    /slack\/(http-receiver|slack-receiver|slack-start-error|slack-fetch|limits)\.ts/,
    'logged, or shown by start',
  ],
  [
    /store\/(embedded\/embedded-backend|memory)|store\/tables\/|redis\/audit|secret-box|read-through/,
    'causes',
  ],
];

/** Parts of a sentence, questions and help: nobody reads them as an error on their own. */
const PARTS = [
  /^[\s,.;:(·]*[a-z{`]/,
  /\?$/,
  /^[•*]|^\\n/,
  /^error: --/,
  /^(It is not known|Nothing was) \{/,
  /^(Try|Check) |^This [a-z-]+s |^Nothing is sent yet|--dry-run/,
  /They can press again\.$|It is active again\.$|waiting for/,
];

const page = await readFile(new URL('../docs/troubleshooting.md', import.meta.url), 'utf8');
const snapshot = await readFile(new URL('words.snapshot', import.meta.url), 'utf8');

const sentences = snapshot.split('\n\n').flatMap((block) => {
  const [head = '', ...lines] = block.trim().split('\n');
  return lines.map((text) => ({ path: head.replace(/^# /, ''), text }));
});
// Made of parts.
for (const [text] of Object.values(refusalsTo('manage accounts'))) {
  sentences.push({ path: 'core/people/denials.ts', text });
}
const troubles = sentences.filter(
  ({ path, text }) =>
    TROUBLE.some((words) => words.test(text)) &&
    !ADVICE.test(text) &&
    !OUTCOMES.some((outcome) => outcome.test(text)) &&
    !ELSEWHERE.some(([place]) => place.test(`${path}: ${text}`)) &&
    !PARTS.some((part) => part.test(text)),
);
/** The quotations in the first cell of a row; … stands for a placeholder. */
const quotes = [...page.matchAll(/^\| (“.*?”) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/“([^”]+)”/g)].map(([, quote = '']) => quote),
);

/** A quotation is the beginning of a sentence, unless it starts with …. */
function has(text: string, quote: string): boolean {
  const [first = '', ...others] = quote.split('…').map((part) => part.trim());
  const sentence = text.replace(/^\s*(?::\w+: )?/, '');
  if (!sentence.startsWith(first)) return false;
  let from = first.length;
  return others.every((part) => {
    const at = sentence.indexOf(part, from);
    from = at + part.length;
    return at >= 0;
  });
}

test('every message about trouble that is not documented elsewhere is in docs/troubleshooting.md', () => {
  expect(troubles.length).toBeGreaterThan(150);
  const missing = troubles.filter(({ text }) => !quotes.some((quote) => has(text, quote)));
  expect(missing.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
});

test('every message quoted in docs/troubleshooting.md is one that the program shows', () => {
  expect(quotes.filter((quote) => !sentences.some(({ text }) => has(text, quote)))).toEqual([]);
});

test('no quote in docs/troubleshooting.md is so general that it matches more than 12 messages', () => {
  const fits = (quote: string) => troubles.filter(({ text }) => has(text, quote)).length;
  expect(quotes.filter((quote) => fits(quote) > 12)).toEqual([]);
});
