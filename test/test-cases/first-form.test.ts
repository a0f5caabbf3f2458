import { expect, it } from 'vitest';
import { fromMessage, fromWords } from '../../src/test-cases/first-form.ts';

const LINK = 'https://slack.example/p1';

it.each([
  ['Pay', { title: 'Pay' }],
  ['Pay --- by card', { title: 'Pay --- by card' }],
  ['', {}],
  ['Pay\n1. Open\r\n2. Pay', { title: 'Pay', description: 'Steps:\n1. Open\n2. Pay' }],
])('takes “%s” behind the command for a title, or for lines', (words, entered) => {
  expect(fromWords(words)).toEqual(entered);
});

it('loses nothing of words that are too long for a title', () => {
  const words = `<${'x'.repeat(2_900)}>`;
  const { title = '', description } = fromWords(words);
  expect(title).toBe(`${words.slice(0, 249)}…`);
  expect(description).toBe(words);
});

it('loses nothing of a first line that is too long for a title', () => {
  const line = 'The basket shows the old price when '.repeat(20).trim();
  const { title, description } = fromMessage(`${line}\n1. Open`, LINK);
  expect(title).toMatch(/^The basket .*…$/u);
  expect(description).toBe(`${line}\n\nSteps:\n1. Open\n\nFrom: ${LINK}`);
});

it('keeps every step of a message that is a list', () => {
  expect(fromMessage('1. Open\n2. Pay', LINK)).toEqual({
    title: 'Open',
    description: `Steps:\n1. Open\n2. Pay\n\nFrom: ${LINK}`,
  });
});

it.each(['x', '😀'])('takes of “%s” as much as a description holds, and the link', (letter) => {
  const { description = '' } = fromMessage(`Pay\n${letter.repeat(4_000)}`, LINK);
  expect(description).toMatch(new RegExp(`…\n\nFrom: ${LINK}$`, 'u'));
  expect(description.length).toBeGreaterThan(2_990);
  expect(description.length).toBeLessThanOrEqual(3_000);
});
