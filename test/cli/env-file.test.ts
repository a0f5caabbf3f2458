import { expect, test } from 'vitest';
import { behind, EnvFileError } from '../../src/cli/env-file.ts';

test('the environment takes precedence over the file', () => {
  expect(behind({ HOST: 'here', PORT: undefined }, 'HOST=there\nPORT=1\nLOG_LEVEL=warn')).toEqual({
    HOST: 'here',
    PORT: '1',
    LOG_LEVEL: 'warn',
  });
});

test('an empty variable does not hide what the file says', () => {
  const read = behind(
    { SLACK_BOT_TOKEN: '', SLACK_MODE: ' ' },
    'SLACK_BOT_TOKEN=x\nSLACK_MODE=http',
  );
  expect(read).toEqual({ SLACK_BOT_TOKEN: 'x', SLACK_MODE: 'http' });
  expect(behind({ PORT: '' }, 'HOST=there')).toEqual({ PORT: '', HOST: 'there' });
});

test('the two spellings of a proxy are one variable', () => {
  expect(behind({ https_proxy: 'http://a' }, 'HTTPS_PROXY=http://b')).toEqual({
    https_proxy: 'http://a',
  });
  expect(behind({ https_proxy: '' }, 'HTTPS_PROXY=http://b')).toEqual({ HTTPS_PROXY: 'http://b' });
  // In the environment, an empty small one turns the other off.
  const off = { https_proxy: '', HTTPS_PROXY: 'http://a' };
  expect(behind(off, 'HTTPS_PROXY=http://b')).toEqual(off);
});

test('a channel’s name after a # is kept, so that it is not taken for missing', () => {
  expect(behind({}, 'GATEPOST_CHANNEL=#deploys\nHOST=here')).toEqual({
    GATEPOST_CHANNEL: '#deploys',
    HOST: 'here',
  });
  expect(
    behind({}, 'GATEPOST_CHANNEL=C0DEPLOYS #deploys\nGATEPOST_OUTCOME_CHANNEL= #none'),
  ).toEqual({ GATEPOST_CHANNEL: 'C0DEPLOYS', GATEPOST_OUTCOME_CHANNEL: '' });
});

test.each(['=ab#cd', ' = ab c#d # why', '=#abcd', '_FILE=/a#b'])(
  'a value of its own that a # would cut is refused, without being shown: %s',
  (rest) => {
    const text = `A="x\ny"\nexport SCIM_TOKEN${rest}`;
    expect(() => behind({}, text)).toThrow(
      new EnvFileError(
        `The value of SCIM_TOKEN${rest.startsWith('_') ? '_FILE' : ''} in .env is cut at its #, which begins a comment. Put the value in quotes.`,
      ),
    );
    expect(() => behind({}, text.replace('SCIM', 'GATEPOST_OTHER'))).toThrow(EnvFileError);
    expect(behind({ SCIM_TOKEN_FILE: '/run/secret' }, text)).not.toHaveProperty('SCIM_TOKEN');
  },
);

test("another program's value that a # would cut is not read", () => {
  expect(behind({}, 'THEME=#fff\nDEPLOYS_SECRET=ab#cd\nHOST=here')).toEqual({ HOST: 'here' });
});

test('quotes, comments and lines of a value may have a #', () => {
  const text = [
    `A="a#b"\nB='a#b' # c#d\nC=\`a#b\`\nD=a b # c#d\nE= # c#d\n# F=a#b`,
    'G="one\nH=a#b\n"\nI=i',
  ];
  expect(behind({}, text.join('\n'))).toEqual({
    ...{ A: 'a#b', B: 'a#b', C: 'a#b', D: 'a b', E: '' },
    ...{ G: 'one\nH=a#b\n', I: 'i' },
  });
});
