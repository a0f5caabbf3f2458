import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanLine, spellWords } from '../../../src/core/lib/clean-line.ts';
import { patientRedactor, redact, redactor } from '../../../src/core/lib/redact.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { cases, IS_AT_LENGTH } from '../../support/cases.ts';
import {
  ENCODERS,
  isRecoverable,
  percent,
  quoted,
  secretToken,
  unicode,
} from '../../support/spellings.ts';

const secret = 'tö k"e/n&+<1>';

/** As some hide bytes behind a letter: each byte as one of the 256 variation selectors. */
function inSelectors(text: string): string {
  const selectors = [...Buffer.from(text)].map((byte) =>
    byte < 16 ? 0xfe00 + byte : 0xe00f0 + byte,
  );
  return String.fromCodePoint(...selectors);
}

/** Every code point; in the quick tests few of the planes without characters of their own. */
function* pointsToTry(): Generator<number> {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const isSparse = (point >= 0x2_0000 && point < 0xe_0000) || point > 0xe_0fff;
    if (IS_AT_LENGTH || !isSparse || point % 97 === 0) yield point;
  }
}

function inTags(text: string): string {
  return text.replace(/./g, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0)));
}

describe('redact', () => {
  it.each([
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded in small letters', encodeURIComponent(secret).toLowerCase()],
    ['as a form value', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['escaped for JSON', JSON.stringify(secret).slice(1, -1)],
    [
      'escaped for JSON with its slashes',
      JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    ],
    ['escaped for HTML', 'tö k"e/n&amp;+&lt;1&gt;'],
    ['escaped for HTML by numbers', 't&#246; k&#x22;e&sol;n&amp;&#43;&#60;1&gt;'],
    ['by encodeURI', encodeURI(secret)],
    ['URL-encoded but for its slashes', encodeURIComponent(secret).replaceAll('%2F', '/')],
    ['URL-encoded twice', encodeURIComponent(encodeURIComponent(secret))],
    ['URL-encoded wholly', percent(secret)],
    ['escaped for JSON wholly', unicode(secret)],
    ['in quoted-printable', 't=C3=B6 k"e/n&+<1>'],
    ['in quoted-printable wholly', quoted(secret)],
    ['in quoted-printable over several lines', 't=C3=\r\n=B6 k"e= \t\n/n&+<1>'],
    ['in quoted-printable and then for URLs', encodeURIComponent(quoted(secret))],
    ['for URLs and then in quoted-printable', quoted(encodeURIComponent(secret))],
    ['in several ways at once', 't=C3%B6 k\\u0022e=2fn&amp;+=3C1=\n>'],
    ['in capitals', 'Tö K"E/N&+<1>'],
    ['as base64', Buffer.from(secret).toString('base64').replace('=', '')],
    ['as base64url', Buffer.from(secret).toString('base64url')],
    ['as hexadecimal digits', Buffer.from(secret).toString('hex')],
    ['with what nobody sees', 'tö\u200b k"e/\u00adn&+<1>'],
    ['in variation selectors that stand for bytes', inSelectors(secret)],
    ['with colours of a terminal in it', `tö\x1b[32m k"e/\x1b[0mn&+<1>`],
    ['with links of a terminal in it', `tö k"e\x1b]8;;https://a.example\x07/n&+\x1b]8;;\x07<1>`],
    ['URL-encoded, with colours between', encodeURIComponent(secret).replace('%', '\x1b[1m%')],
  ])('replaces a secret %s', (_how, form) => {
    expect(redact(`a ${form} b ${form}`, [secret])).toBe('a [token] b [token]');
  });

  it('redacts the longer of two secrets with the same beginning completely', () => {
    expect(redact('abc abcdef', ['abc', 'abcdef'])).toBe('[token] [token]');
  });

  it('treats special characters in secrets and in the mask literally', () => {
    expect(redact('aXb a.b $&', ['a.b', '$&'])).toBe('aXb [token] [token]');
  });

  it('finds a secret in quoted-printable directly behind a "="', () => {
    for (const token of ['ab-12-cd-34', '00ff-ff00-11', 'f-f-f-f-f-f']) {
      const some = token.replaceAll('-', '=2D');
      expect(redact(`token=${some}&x=1`, [token])).toMatch(/^token=?\[token\]&x=1$/);
      expect(redact(`token=${quoted(token)}`, [token])).toMatch(/^token=?\[token\]$/);
    }
  });

  it('leaves ordinary equals signs unchanged', () => {
    const text = 'a=b=c1, x==41, key=\nvalue, ?q=ad&r=be, 5 = \r\n6, dGVzdA==\nZm9v';
    expect(redact(text, ['a-token-of-somebody', 'c1d2e3f4'])).toBe(text);
  });

  it('leaves other texts and empty secrets alone', () => {
    expect(redact('nothing here', ['', 'secret'])).toBe('nothing here');
  });

  it('redacts a secret given with white space around it, and leaves at most that white space', () => {
    expect(redact('a TOKEN-1 b token-1\u2028 c', [' token-1\u2028'])).toBe(
      'a [token] b [token]\u2028 c',
    );
  });

  it('ignores a secret of only invisible characters', () => {
    const text = 'café \u{e0001}%20';
    expect(redact(text, ['\u{e0001}'])).toBe(text);
    expect(redact(`${text}tok`, ['\u200b\u00ad', 'tok'])).toBe(`${text}[token]`);
  });

  it('finds a secret written in invisible tag letters', () => {
    const token = 'kQ9x-Token';
    expect(redact(`a${inTags(token)}b`, [token])).toBe('a[token]b');
    expect(redact(`kQ9x${inTags('-Tok')}en`, [token])).toBe('[token]');
    const base64 = Buffer.from(token).toString('base64').replaceAll('=', '');
    expect(redact(inTags(base64), [token])).toBe('[token]');
    expect(redact(inTags('kQ9x-Tokem'), [token])).toBe(inTags('kQ9x-Tokem'));
  });

  it('redacts a secret with invisible characters completely', () => {
    const token = `abc${inTags('secret')}\u200b`;
    expect(redact(`x ${token} abc`, [token])).toBe('x [token] [token]');
  });

  it('redacts a secret that becomes readable when a line is cleaned, whatever stands within it', () => {
    const token = 'kQ9x-TokenOfOneTime';
    const withoutToken = redactor([token]);
    const together: string[] = [];
    for (const point of pointsToTry()) {
      const split = `kQ9x-Tok${String.fromCodePoint(point)}enOfOneTime`;
      if (cleanLine(split) === token || spellWords(split).text === token) together.push(split);
    }
    expect(together.length).toBeGreaterThan(4_000);
    expect(together.filter((split) => withoutToken(split) !== '[token]')).toEqual([]);
  });

  it('redacts base64 padding with the secret, and secrets in the other base64 alphabet', () => {
    expect(redact('aGVsbG8gd29ybGQ', ['aGVsbG8gd29ybGQ='])).toBe('[token]');
    expect(redact('aGVsbG8gd29ybGQ%3D', ['aGVsbG8gd29ybGQ='])).toBe('[token]');
    expect(redact('ab-_cdef12', ['ab+/cdef12'])).toBe('[token]');
  });

  it.each([0, 1, 2, 3, 4])('finds a secret after %s other characters in base64', (before) => {
    const whole = Buffer.from(`${'user:'.slice(0, before)}${secret};rest`).toString('base64');
    const shown = redact(whole, [secret]);
    expect(shown).toContain('[token]');
    expect(
      Buffer.from(shown.replace(/\[token\]/, '').padEnd(4, 'A'), 'base64').toString(),
    ).not.toContain('k"e');
  });

  it.each([1, 2])(
    'finds base64 whose first %s digits are missing, if they are not of the secret',
    (missing) => {
      for (const code of ['base64', 'base64url'] as const) {
        const whole = Buffer.from(`${'xy'.slice(0, missing)}${secret}`).toString(code);
        const text = `(é${whole.slice(missing).replace(/=+$/, '')})`;
        expect(redact(text, [secret])).toBe('(é[token])');
      }
    },
  );

  it('finds base64 that goes over several lines', () => {
    const long = 'a-token-of-many-letters-'.repeat(10);
    const lines = Buffer.from(long).toString('base64').replace(/.{76}/g, '$&\n');
    expect(redact(`<${lines}>`, [long])).toMatch(/^<\[token\]=*>$/);
  });

  it.each([
    ['in JSON', (lines: string) => JSON.stringify({ data: lines })],
    ['in JSON, with CRLF', (lines: string) => JSON.stringify(lines.replaceAll('\n', '\r\n'))],
    ['in JSON in JSON', (lines: string) => JSON.stringify(JSON.stringify({ data: lines }))],
    ['indented', (lines: string) => `data: |\n  ${lines.replaceAll('\n', '\n  ')}\nkind: Secret`],
    ['quoted', (lines: string) => `> ${lines.replaceAll('\n', '\n> ')}`],
    ['added in a diff', (lines: string) => `+data: |\n+  ${lines.replaceAll('\n', '\n+  ')}`],
    ['removed in a diff', (lines: string) => `-${lines.replaceAll('\n', '\n-')}`],
    ['with other ends of lines', (lines: string) => lines.replaceAll('\n', '\u2028')],
    ['with the ends of lines of NEL', (lines: string) => lines.replaceAll('\n', '\u0085 ')],
    ['in strings that are added up', (lines: string) => `'${lines.replaceAll('\n', "' +\n '")}'`],
  ])('finds codes that go over several lines, %s', (_how, write) => {
    const token = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const body = Buffer.from(`{"kind":"Callback","approvalToken":"${token}","x":1}`);
    for (const code of ['base64', 'base64url', 'hex'] as const) {
      for (const [columns, times] of [
        [76, 1],
        [32, 1],
        [60, 4],
      ] as const) {
        const before = Buffer.alloc(columns * times, 'x');
        const whole = Buffer.concat([before, body]).toString(code);
        const text = write(whole.replace(new RegExp(`.{${columns}}`, 'g'), '$&\n'));
        expect(redact(text, [token])).toMatch(/\[token\]/);
        expect(redact(text, ['another-0f8fad5b-d9cb'])).toBe(text);
      }
    }
  });

  it('finds base64 with lines that start with a + or - digit', () => {
    const token = 'tok_>>>???secret>>>>one-time~~~value>>>>';
    for (const [code, digit] of [
      ['base64', '+'],
      ['base64url', '-'],
    ] as const) {
      const written = Buffer.from(token).toString(code);
      const lines = written.replaceAll(new RegExp(`\\${digit}+`, 'g'), '\n$&');
      expect(lines.split('\n').length).toBeGreaterThan(3);
      expect(redact(lines, [token])).toMatch(/^\[token\]=*$/);
    }
  });

  it.each([
    ['a lock file', 400, (code: string) => `      "integrity": "sha512-${code}",`],
    ['a diff of one', 400, (code: string) => `+      "integrity": "sha512-${code}",`],
    ['hashes', 400, (code: string) => Buffer.from(code, 'base64').toString('hex').slice(0, 64)],
    ['a key that is added', 500, (code: string) => `+${code.slice(0, 76)}`],
    ['a key in JSON', 500, (code: string) => `${code.slice(0, 76)}\\n`],
    ['a text of one word a line', 4_000, () => 'deployment'],
  ])('leaves %s unchanged, and is fast', (_what, lines, write) => {
    const codes = Array.from({ length: lines }, (_, at) => hash('sha512', `${at}`, 'base64'));
    const text = codes.map(write).join('\n');
    const before = process.cpuUsage();
    expect(redact(text, ['0f8fad5b-d9cb-469f-a165-70867728950e', 'tok-7f3a9c'])).toBe(text);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('leaves a word unchanged that decodes to something other than the secret', () => {
    const text = 'A hash 9f86d081884c7d659a2feaa0c55ad015, 100% &copy; C:\\new, a%20b and dGVzdA==';
    expect(redact(text, ['s3cr3t-of-somebody'])).toBe(text);
  });

  it('hides secrets in any text, even in nested encodings', () => {
    fc.assert(
      fc.property(
        secretToken,
        fc.array(fc.array(fc.constantFrom(...ENCODERS), { maxLength: 3 }), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.array(
          fc.constantFrom(' ', '?t=', '"', '&x=1', ' see https://ci.example/', '\n', '=', 'é'),
        ),
        (hidden, chains, between) => {
          const text = chains
            .flatMap((chain, at) => [
              between[at] ?? ' ',
              chain.reduce((inner, [, encode]) => encode(inner), `${at}: ${hidden} .`),
              ' ',
            ])
            .join('');
          const shown = redact(text, [hidden]);
          expect(isRecoverable(shown, hidden)).toBe(false);
        },
      ),
      { numRuns: cases(100, 2_000) },
    );
  });

  it('takes linear time for hostile texts', () => {
    const slow = [
      '25',
      'VVVV',
      '33',
      '%2525',
      '&amp;',
      '\\',
      '0',
      'MTEx',
      '\r\n',
      '&#0',
      'a',
      'VV\n',
      '\n+',
      '=3D',
      '=3D%25',
      '3D',
      '=\n',
      '= ',
      '=61',
    ];
    for (const piece of slow) {
      const text = `%=${piece.repeat(Math.ceil(cases(16_384, 65_536) / piece.length))}`;
      const before = process.cpuUsage();
      redact(text, [`b${'a'.repeat(2_047)}`, 'aaaaaaaa', 's3cr3t+/==']);
      expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
    }
  });
});

describe('a patient search', () => {
  const token = 's3cr3t-token-of-the-service';
  const HOSTILE: readonly (readonly [string, string])[] = [
    ['runs of base64', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo'],
    ['lines of base64', 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\n'],
    ['chains of amp;', '&amp;amp;amp;amp;amp;amp;amp;amp;'],
    ['chains of %25', '%2525252525252525'],
    ['backslashes', '\\\\\\\\'],
    ['letters of three bytes', '承認'],
  ];
  const textOf = (piece: string, bytes: number) =>
    `${piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)))} ${Buffer.from(`x${token}`).toString('base64')}`;
  const pausesFor = async (text: string) => {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const shown = await patientRedactor([token], pause)(text);
    return { pauses, shown };
  };

  it.each(HOSTILE)(
    'finds the same in %s, and pauses as often as the text is long',
    async (_, piece) => {
      const counts: number[] = [];
      for (const bytes of [40_000, 80_000, 160_000]) {
        const text = textOf(piece, bytes);
        const { pauses, shown } = await pausesFor(text);
        expect(shown).toBe(redact(text, [token]));
        // 40 readings of each byte at most, and a pause every 64 KiB.
        expect(pauses).toBeLessThanOrEqual((40 * Buffer.byteLength(text)) / 65_536 + 2);
        counts.push(pauses);
      }
      expect(counts.toSorted((a, b) => a - b)).toEqual(counts);
      expect(counts.at(-1)).toBeGreaterThan(0);
    },
  );

  it('does not pause for an ordinary text', async () => {
    const plan = 'resource "aws_instance" "web" { ami = "ami-0c55b159cbfafe1f0" }\n'.repeat(600);
    expect(await pausesFor(plan)).toEqual({ pauses: 0, shown: plan });
  });

  it('lets others go on while ten hostile texts are searched', async () => {
    const pause = () => systemTimers.sleep(0);
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      for (; !isDone; turns += 1) await systemTimers.sleep(0);
    })();
    const text = textOf('&amp;amp;amp;amp;amp;amp;amp;amp;', 40_000);
    const { pauses } = await pausesFor(text);
    await Promise.all(Array.from({ length: 10 }, () => patientRedactor([token], pause)(text)));
    isDone = true;
    await others;
    expect(turns).toBeGreaterThanOrEqual(pauses);
  });
});
