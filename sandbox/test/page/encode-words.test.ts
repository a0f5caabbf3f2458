import { expect, it } from 'vitest';
import { encodeWords } from '../../page/client/composer/encode-words.ts';

const people = [
  { id: 'U1', name: 'Ana Reyes' },
  { id: 'U2', name: 'Ben Okafor' },
];
const channels = [{ id: 'C1', name: 'old-deployments' }];

it.each([
  ['a name, short and long', '@Ana, ask @Ben Okafor', '<@U1>, ask <@U2>'],
  ['names without regard to case', '@ana', '<@U1>'],
  ['a channel', 'see #old-deployments.', 'see <#C1>.'],
  ['an address', 'https://x.example/a?b=1 it is', '<https://x.example/a?b=1> it is'],
  ['nobody by a longer word', '@Anastasia @Ana-x a@Ana', '@Anastasia @Ana-x a@Ana'],
  ['nobody by an address of mail', 'me@Ana.example', 'me@Ana.example'],
  ['nothing in an address', 'https://x.example/@Ana', '<https://x.example/@Ana>'],
])('writes %s', (_what, typed, written) => {
  expect(encodeWords(typed, people, channels)).toBe(written);
});
