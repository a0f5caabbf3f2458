import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sectionOf } from './support/headings.ts';

/**
 * What people ask before and while they use it. docs/README.md answers each in a sentence and links to the section that
 * has the rest; here is what that section has to say.
 */
const QUESTIONS: Readonly<Record<string, RegExp>> = {
  'Can the person who pushed approve their own deployment?': /the person who asked.*cannot decide/s,
  'What happens while Slack is down?': /202.*stored.*posted once Slack answers/s,
  'Which scopes does the app have, and why?': /`users:read\.email` \| find a person’s account/,
  'What is stored, where, and for how long?': /`retention\.done` \(30 days\)/,
  'How does one cancel a request?': /gatepost withdraw/,
  'Can two teams have to agree?': /need:/,
  'Who decided what yesterday?': /`audit list \[--since/,
  'How is a secret rotated?': /`GATEPOST_KEYS` \| .*new.*first/s,
  'Can it be tried without Slack?': /`npm run demo`/,
  'What does it cost to run?': /MiB|MB/,
};

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');

test('the questions that people ask are answered where the index says', async () => {
  const index = await read('docs/README.md');
  const [, list = ''] = /^## Questions\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(index) ?? [];
  const answered = [...list.matchAll(/^- \*\*(.+?)\*\* (.+)$/gm)];
  expect(answered.map(([, question]) => question)).toEqual(Object.keys(QUESTIONS));
  for (const [, question = '', answer = ''] of answered) {
    const [, page = '', anchor = ''] = /\]\(([\w-]+\.md)#([^)]+)\)/.exec(answer) ?? [];
    expect(sectionOf(await read(`docs/${page}`), anchor), question).toMatch(
      QUESTIONS[question] ?? /^$/,
    );
  }
});
