import { describe, expect, it } from 'vitest';
import {
  namesIn,
  readWords,
  referenceIn,
  referencesIn,
} from '../../../src/operations/tasks/reference.ts';

const LINK = 'https://service.example/{spaceSlug}/{projectSlug}/items/{key}';
const UUID = '3b7d1f00-0000-4000-8000-000000000001';

describe('the text after the command', () => {
  const move = (reference: string | null, project: string | null = null) => ({
    kind: 'move',
    reference,
    project,
  });
  const several = ([reference = '', ...others]: string[], project: string | null = null) => ({
    ...move(reference, project),
    others,
  });
  it('a project that is called like a key is the destination', () => {
    const isProject = (text: string) => text === 'Q-4';
    expect(readWords('OPS-1 OPS-2 Q-4', LINK, isProject)).toEqual(
      several(['OPS-1', 'OPS-2'], 'Q-4'),
    );
    expect(readWords('OPS-1 to Q-4', LINK, isProject)).toEqual(move('OPS-1', 'Q-4'));
  });

  it.each([
    ['OPS-1', ['OPS-1']],
    ['OPS-1\nOPS-2\n', ['OPS-1', 'OPS-2']],
    ['OPS-1, OPS-2 and OPS-1', ['OPS-1', 'OPS-2']],
    ['an item of OPS-1', ['an item of OPS-1']],
    ['', ['']],
  ])('the names in “%s”', (text, names) => {
    expect(namesIn(text, LINK)).toEqual(names);
  });

  it.each([
    ['', move(null)],
    ['help', { kind: 'help' }],
    ['HELP ', { kind: 'help' }],
    ['--help', { kind: 'help' }],
    ['-h', { kind: 'help' }],
    ['?', { kind: 'help' }],
    ['OPS\u201112 to `Platform`', move('OPS-12', 'Platform')],
    ['`OPS\u221212`, -&gt; «Big Platform»', move('OPS-12', 'Big Platform')],
    ['help Platform', move('help', 'Platform')],
    ['OPS-12', move('OPS-12')],
    ['  OPS-12   Platform ', move('OPS-12', 'Platform')],
    ['OPS-12 to Big Platform', move('OPS-12', 'Big Platform')],
    ['OPS-12 → Platform', move('OPS-12', 'Platform')],
    ['OPS-12 "Big Platform"', move('OPS-12', 'Big Platform')],
    ['OPS-12 to “Big Platform”', move('OPS-12', 'Big Platform')],
    ["OPS-12 'Platform'", move('OPS-12', 'Platform')],
    ['#OPS-12', move('OPS-12')],
    ['OPS-12.', move('OPS-12')],
    ['(#OPS-12), Platform', move('OPS-12', 'Platform')],
    ['＃OPS-12: Platform', move('OPS-12', 'Platform')],
    ['#', move('#')],
    ['OPS-12 Tomorrow', move('OPS-12', 'Tomorrow')],
    ['OPS-12 R&amp;D &lt;new&gt;', move('OPS-12', 'R&D <new>')],
    [UUID, move(UUID)],
    ['<https://service.example/ops/o/items/OPS-12|OPS-12> Platform', move('OPS-12', 'Platform')],
    ['OPS-1 OPS-2 OPS-7', several(['OPS-1', 'OPS-2', 'OPS-7'])],
    ['OPS-1, #OPS-2 and (OPS-7) to Platform', several(['OPS-1', 'OPS-2', 'OPS-7'], 'Platform')],
    ['OPS-1,OPS-2;ops-7 -&gt; Platform', several(['OPS-1', 'OPS-2', 'ops-7'], 'Platform')],
    ['OPS-1 , OPS-2 &amp; OPS-7', several(['OPS-1', 'OPS-2', 'OPS-7'])],
    [
      `<https://service.example/ops/o/items/OPS-1|this> ${UUID} "R and D"`,
      several(['OPS-1', UUID], 'R and D'),
    ],
    ['OPS-1 OPS-1 OPS-2 OPS-1', several(['OPS-1', 'OPS-2'])],
    ['OPS-1 OPS-1 Platform', move('OPS-1', 'Platform')],
    ['this OPS-2', move('this', 'OPS-2')],
    ['OPS-1 and Platform', move('OPS-1', 'and Platform')],
  ])('reads “%s”', (text, words) => {
    expect(readWords(text, LINK)).toEqual(words);
  });
});

describe('a link to an item', () => {
  it.each([
    ['https://service.example/ops/operations/items/OPS-12', 'OPS-12'],
    ['https://service.example/ops/operations/items/OPS-12?tab=2#top', 'OPS-12'],
    ['https://service.example/ops/operations/items/a%20b', 'a b'],
    ['https://elsewhere.example/browse/OPS-12', 'OPS-12'],
    ['https://elsewhere.example/show?item=OPS-12', 'OPS-12'],
    [`https://elsewhere.example/tasks/${UUID}/edit`, UUID],
    ['https://elsewhere.example/welcome', 'https://elsewhere.example/welcome'],
    ['https://elsewhere.example/%E0%A4%A', 'https://elsewhere.example/%E0%A4%A'],
  ])('%s leads to %s', (word, reference) => {
    expect(referenceIn(word, LINK)).toBe(reference);
  });

  it('needs the exact address of the service', () => {
    expect(referenceIn('https://serviceXexample/a/b/items/low', LINK)).toBe(
      'https://serviceXexample/a/b/items/low',
    );
  });
});

it('each key and link of a message is found once', () => {
  const text =
    'OPS-12 blocks <https://service.example/ops/o/items/OPS-13|the other> and OPS-12, not utf-8 or <https://x.example/WEB-1>';
  expect(referencesIn(text, LINK)).toEqual(['OPS-13', 'OPS-12']);
  expect(referencesIn('nothing here', LINK)).toEqual([]);
  expect(referencesIn('see PLAT-7', null)).toEqual(['PLAT-7']);
});

it('the key in the label of a link is found, wherever the link leads', () => {
  const text = 'Move <https://elsewhere.example/1|OPS-12: Renew> with <@U0BEN>, <!here>';
  expect(referencesIn(text, null)).toEqual(['OPS-12']);
});

it('references too long for a form are left out', () => {
  const long = 'x'.repeat(151);
  const text = `<https://service.example/ops/o/items/${long}> and OPS-12`;
  expect(referencesIn(text, LINK)).toEqual(['OPS-12']);
});

describe('a link in a sentence ends before the punctuation', () => {
  const ID = 'a1b2';
  const ADDRESS = `https://service.example/ops/o/items/${ID}`;
  it.each([
    [`${ADDRESS}。次へ`],
    [`（${ADDRESS}）です`],
    [`「${ADDRESS}」`],
    [`“${ADDRESS}”`],
    [`${ADDRESS}…`],
    [`${ADDRESS}，然后`],
    [`<a href="${ADDRESS}">it</a>`],
    [`<${ADDRESS}。>`],
    [`<${ADDRESS}|it>`],
    [`&lt;${ADDRESS}&gt;`],
    [`[it](${ADDRESS}), then`],
    [`(${ADDRESS}).`],
    [`see ${ADDRESS}, please`],
    [`詳細は${ADDRESS}を見てください。`],
    [`请看${ADDRESS}谢谢`],
    [`${ADDRESS}をhttps://elsewhere.example/にコピー`],
    [`${ADDRESS}에서`],
  ])('in the text %s', (text) => {
    expect(referencesIn(text, LINK)).toEqual([ID]);
  });

  it.each([
    [`${ADDRESS}。`],
    [`「${ADDRESS}」を`],
    [`[it](${ADDRESS})`],
    [`<${ADDRESS}>.`],
    [`<${ADDRESS}|it>`],
  ])('in a command: %s', (text) => {
    expect(readWords(text, LINK)).toMatchObject({ reference: ID });
  });

  it('but keeps parentheses that belong to it', () => {
    expect(referencesIn(`(<${ADDRESS}_(x)>)`, LINK)).toEqual([`${ID}_(x)`]);
  });
});
