import { describe, expect, it } from 'vitest';
import type { ThreadMessage } from '../../../src/core/slack/thread.ts';
import {
  fromMessage,
  fromThread,
  fromWords,
} from '../../../src/operations/test-cases/from-message.ts';

const LINK = 'https://slack.example/p1';
const names = async (ids: readonly string[]) =>
  new Map(ids.filter((id) => id === 'U0BEN').map((id) => [id, 'Ben']));
const from = (text: string) => fromMessage(text, { names, links: { message: LINK } });
/** Its description without the line that leads back. */
async function descriptionOf(...lines: readonly string[]): Promise<string | undefined> {
  const { description } = await from(lines.join('\n'));
  return description?.replace(`\n\nFrom: ${LINK}`, '');
}

it.each([
  ['Pay', { title: 'Pay' }],
  ['Pay --- by card', { title: 'Pay --- by card' }],
  ['', {}],
  ['Pay\n1. Open\r\n2. Pay', { title: 'Pay', description: 'Steps:\n1. Open\n2. Pay' }],
])('reads “%s” after the command as a title or lines', (words, entered) => {
  expect(fromWords(words)).toEqual(entered);
});

it('a title that is too long is repeated in full in the description', () => {
  const words = `<${'x'.repeat(2_900)}>`;
  const { title = '', description } = fromWords(words);
  expect(title).toBe(`${words.slice(0, 249)}…`);
  expect(description).toBe(words);
});

it('a first line that is too long for the title is repeated in full in the description', async () => {
  const line = 'The basket shows the old price when '.repeat(20).trim();
  const { title, description } = await from(`${line}\n1. Open`);
  expect(title).toMatch(/^The basket .*…$/u);
  expect(description).toBe(`${line}\n\nSteps:\n1. Open\n\nFrom: ${LINK}`);
});

it('a message that is only a list keeps every step', async () => {
  expect(await from('1. Open\n2. Pay')).toEqual({
    title: 'Open',
    description: `Steps:\n1. Open\n2. Pay\n\nFrom: ${LINK}`,
  });
});

it.each(['x', '😀'])(
  'a description of “%s” is cut at its limit, and keeps the link',
  async (letter) => {
    const { description = '' } = await from(`Pay\n${letter.repeat(4_000)}`);
    expect(description).toMatch(new RegExp(`…\n\nFrom: ${LINK}$`, 'u'));
    expect(description.length).toBeGreaterThan(2_990);
    expect(description.length).toBeLessThanOrEqual(3_000);
  },
);

describe('the steps of a message', () => {
  it.each([
    ['bulleted', ['• Open', '• Pay']],
    ['numbered', ['1. Open', '2. Pay']],
    ['below a heading of their own', ['Steps to reproduce:', 'Open', 'Pay']],
  ])('before "Expected:" are recognized: %s', async (_, lines) => {
    const below = ['Expected: a receipt', '• by mail', 'Actual: nothing'];
    expect(await descriptionOf('Pay', 'Since today.', ...lines, ...below)).toBe(
      'Since today.\n\nSteps:\n1. Open\n2. Pay\n\nExpected: a receipt\n• by mail\nActual: nothing',
    );
  });

  it('keep their order, with the text between them', async () => {
    expect(await descriptionOf('Pay', '1. Open', 'as a guest', '2. Pay', 'It fails.')).toBe(
      'Steps:\n1. Open\nas a guest\n2. Pay\nIt fails.',
    );
  });

  it.each([
    ['their own numbers', ['3. Open', '5) Pay', '(6) Log out', '7.Done']],
    ['levels', ['1. Open', '   1. as a guest', '   a) in a new window', '1.2. Pay']],
    ['words before the number', ['Step 1: Open', 'step 2 - Pay']],
    ['two lists', ['1. Open', '2. Pay', 'Then as Ben:', '1. Open']],
    ['bullets between', ['1. Open', '• as a guest', '2. Pay']],
    ['text between', ['1. Open', 'Wait.', '', '2. Pay']],
  ])('that people numbered stay as they are: %s', async (_, steps) => {
    expect(await descriptionOf('Pay', 'Since today.', ...steps)).toBe(
      ['Since today.', '', 'Steps:', ...steps].join('\n'),
    );
    expect(await descriptionOf('Pay', 'Steps:', ...steps, 'Expected: a receipt')).toBe(
      ['Steps:', ...steps, '', 'Expected: a receipt'].join('\n'),
    );
  });

  it('stay below their heading, with what is said before the first number', async () => {
    const steps = ['As a guest', '1. Open', '2. Pay'];
    expect(await descriptionOf('Pay', 'How to reproduce:', ...steps)).toBe(
      ['Steps:', ...steps].join('\n'),
    );
  });

  it.each(['10:30 at the till', '404: not found', '1.5 kg in the basket', '2030 was a good year'])(
    'are no lines that only begin with a number: %s',
    async (line) => {
      expect(await descriptionOf('Pay', line)).toBe(line);
      expect(await from(line)).toMatchObject({ title: line });
    },
  );

  it('need numbers or "Expected:"', async () => {
    expect(await descriptionOf('Pay', '• Open', '• Pay')).toBe('• Open\n• Pay');
  });
});

describe('Slack’s markup in a message', () => {
  it.each([
    ['*Card &amp; cash*', 'Card & cash'],
    ['_*Card*_ and ~cash~', 'Card and cash'],
    ['`card_id_2` &lt; 5 * 3 * 2', 'card_id_2 < 5 * 3 * 2'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
    ['&gt; quoted', 'quoted'],
    ['Ask <@U0BEN> and <@U0WHO>', 'Ask @Ben and @somebody'],
    ['Ask <@U0ANA|ana>', 'Ask @ana'],
    ['In <#C0QA|qa> and <#C0OPS|>', 'In #qa and #channel'],
    ['<!here> and <!subteam^S0QA|@qa> at <!date^1^{time}|noon>', '@here and @qa at noon'],
    ['*<https://a.example/_x_|the _page_>*', 'the _page_ (https://a.example/_x_)'],
    ['<https://a.example/_x_/y>', 'https://a.example/_x_/y'],
    ['<mailto:ana@a.example|ana@a.example>', 'ana@a.example'],
  ])('is removed or converted: %s', async (text, title) => {
    expect(await from(text)).toMatchObject({ title });
  });

  it('keeps the lines of a code block, without the backticks', async () => {
    expect(await descriptionOf('Pay', '```', 'curl -X POST', '```')).toBe('curl -X POST');
    const code = '&gt; __init__(*args) _x_';
    const fenced = ['a *b* ```', code, '```', '*c* ```_d_``` _e_', '```', code, '``` *f*', '``` g'];
    expect(await descriptionOf('Pay', ...fenced)).toBe(
      ['a b ', '> __init__(*args) _x_', 'c _d_ e', '> __init__(*args) _x_', ' f', ' g'].join('\n'),
    );
  });
});

describe('a thread', () => {
  const ROOT = 'https://slack.example/p0';
  const says = (user: string | null, markup: string, name: string | null = null) => ({
    user,
    name,
    markup,
  });
  const thread = (messages: readonly ThreadMessage[], isWhole = true, message = LINK) =>
    fromThread({ messages, isWhole }, { names, links: { message, thread: ROOT } });

  it('becomes what people wrote, in order, with their names and both links', async () => {
    const entered = await thread([
      says('U0BEN', '*The basket* is empty\n1. Open\n2) Pay'),
      says('U0WHO', 'Same here, <@U0BEN>\n\nbasket.png'),
      says(null, 'Alert &amp; more', 'Monitor'),
      says(null, 'ok'),
    ]);
    expect(entered).toEqual({
      title: 'The basket is empty',
      description: [
        'Ben: The basket is empty\n1. Open\n2) Pay',
        'Somebody: Same here, @Ben\n\nbasket.png',
        'Monitor: Alert & more',
        'An app: ok',
        `From: ${LINK}\nThread: ${ROOT}`,
      ].join('\n\n'),
    });
  });

  it('is cut at the limit, says how much is missing, and keeps the links', async () => {
    const messages = Array.from({ length: 90 }, (_, index) =>
      says('U0BEN', `${index} `.repeat(20)),
    );
    const { description = '' } = (await thread(messages)) ?? {};
    expect(description.length).toBeLessThanOrEqual(3_000);
    expect(description.length).toBeGreaterThan(2_800);
    const [, shown = '', characters, missing] =
      /^([\s\S]*)…\n\n\[Cut here: (\d+) more characters in (\d+) messages\]\n\nFrom: /u.exec(
        description,
      ) ?? [];
    const whole = messages.map(({ markup }) => `Ben: ${markup.trim()}`).join('\n\n');
    expect(shown.trimEnd().length + Number(characters)).toBe(whole.trimEnd().length);
    const last = Number(/(\d+)\s*$/u.exec(shown)?.[1]);
    expect([90 - last, 89 - last]).toContain(Number(missing));
  });

  it('that was not read to its end says so', async () => {
    const long = await thread([says('U0BEN', 'x '.repeat(2_000))], false);
    expect(long?.description).toMatch(/\[Cut here: at least \d+ more characters in 1 message\]/u);
    const short = await thread([says('U0BEN', 'x')], false);
    expect(short?.description).toContain('[Cut here: the thread is longer than Gatepost reads]');
  });

  it('has the names of 30 people, and of who wrote before who is mentioned', async () => {
    const ids = Array.from({ length: 31 }, (_, index) => `U${index}X`);
    const all = async (asked: readonly string[]) => new Map(asked.map((id) => [id, `Name ${id}`]));
    const messages = ids.map((id) => says(id, 'Hi <@U0BEN>'));
    const about = { names: all, links: { message: LINK } };
    const { description = '' } = (await fromThread({ messages, isWhole: true }, about)) ?? {};
    const written = description.split('\n\n').slice(0, 31);
    expect(written.slice(0, 30)).toEqual(ids.slice(0, 30).map((id) => `Name ${id}: Hi @somebody`));
    expect(written.at(-1)).toBe('Somebody: Hi @somebody');
  });

  it('in which nobody wrote is nothing', async () => {
    expect(await thread([])).toBeUndefined();
  });
});
