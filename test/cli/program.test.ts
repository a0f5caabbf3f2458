import { createPublicKey, verify } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FEATURE_NAMES, FEATURES, type FeatureName } from '../../src/app/features.ts';
import { manifestFor } from '../../src/cli/manifest.ts';
import { encryptionKeys } from '../../src/core/config/values.ts';
import { reportKey } from '../../src/core/store/report-key.ts';
import { everyCommand } from './every-command.ts';
import { outputOf } from './output-of.ts';
import { runHere } from './run-here.ts';

const run = (words: string) => runHere(words.split(' ').filter((word) => word !== ''));

describe('the command line', () => {
  test('starts the bot with `start`, and shows its help without a command', async () => {
    expect(await run('start')).toEqual({ code: 0, out: 'started\n', err: '' });
    const { code, out, err } = await run('');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe((await run('--help')).out);
  });

  test('has working examples in the help of every command', async () => {
    for (const words of await everyCommand()) {
      const { code, out } = await run([...words, '--help'].join(' '));
      expect(code).toBe(0);
      const [, examples = ''] = out.split('\nExamples:\n');
      const lines = examples
        .trimEnd()
        .split('\n')
        .map((line) => line.trim());
      expect(lines.length, out).toBeGreaterThan(0);
      for (const line of lines) expect(line).toContain(['gatepost', ...words].join(' '));
      const typed = lines.flatMap(
        (line) => /(?:^|\| |-- )gatepost ([^>&|]*)/.exec(line)?.[1] ?? [],
      );
      for (const line of typed) {
        const given = line.match(/"[^"]*"|\S+/g) ?? [];
        const { err } = await runHere(
          given.map((word) => word.replaceAll('"', '')),
          { input: '' },
        );
        expect(err, line).not.toMatch(
          /unknown|too many|missing required|is invalid|cannot be used/,
        );
      }
    }
  });

  test.each([
    [['ask', '--bad'], 'gatepost ask'],
    [['ask'], 'gatepost ask'],
    [['mcp', 'x'], 'gatepost mcp'],
    [['people'], 'gatepost people'],
    [['people', 'lst'], 'gatepost people'],
    [['people', 'import'], 'gatepost people import'],
    [['people', 'update', 'ana'], 'gatepost people update'],
    [['audit', 'verify', 'x'], 'gatepost audit verify'],
    [['manifest'], 'gatepost manifest'],
    [['keys', 'new', '--id', ':'], 'gatepost keys new'],
    [['--bad'], 'gatepost'],
  ])('%j names its own help', async (words, own) => {
    const { code, err } = await runHere(words);
    expect(code).toBe(2);
    expect(err).toMatch(new RegExp(`^(See ${own} --help\\.|Usage: ${own} .*)$`, 'm'));
  });

  test.each([
    [['ask', '--title', 'Caf\uFFFD', '--wait'], 'What follows --title', 2],
    [['ask', '--title=Caf\uFFFD'], 'What follows --title', 2],
    [['ask', '--title', 'Café', '--field', 'a=\uFFFD'], 'What follows --field', 2],
    [['ask', '--title', 'Café', '--t\uFFFDtle', 'x'], 'Argument 4', 2],
    [['ask', '--title', 'Café', 'stray', '\uFFFD'], 'Argument 5', 2],
    [['ask', '--title', 'Caf\uFFFD', '--run', '--', 'true'], 'What follows --title', 125],
    [['ask', '--title', 'x', '--run', '--', 'rm', '--', '\uFFFD'], 'Word 3 after --', 125],
    [['ask', '--title', 'x', '--run', '--', 'tar', '--file=\uFFFD'], 'Word 2 after --', 125],
    [['ask', '--title', 'x', '--run', '--', '\uFFFD'], 'Word 1 after --', 125],
    [['people', 'update', '\uFFFD'], 'Argument 3', 2],
    [['people', 'update', '--', '\uFFFD'], 'Word 1 after --', 2],
    [['audit', 'list', '--actor', '\uFFFDna'], 'What follows --actor', 2],
    [['start', '\uFFFD'], 'Argument 2', 2],
    [['\uFFFD'], 'Argument 1', 2],
  ])(
    '%j: what Node could not read as UTF-8 is refused by its place',
    async (words, place, code) => {
      const ended = await runHere(words);
      expect(ended).toMatchObject({ code, out: '' });
      expect(ended.err).toMatch(
        new RegExp(
          `^error: ${place} is not text in UTF-8, or contains the character U\\+FFFD\\.\nSee gatepost`,
        ),
      );
      expect(ended.err).not.toContain('\uFFFD');
    },
  );

  test('says its version', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  describe.each([false, true])('of gatepost-ask: %j', (isOwnPackage) => {
    const ended = (words: readonly string[]) => runHere(words, { isOwnPackage });

    test.each([['--help'], ['-h'], ['--version']])('%s alone ends with 0', async (word) => {
      expect(await ended(['ask', word])).toMatchObject({ code: 0, err: '' });
      expect(await ended(['withdraw', word])).toMatchObject({ code: 0, err: '' });
    });

    test.each<[readonly string[], number]>([
      [['ask', '--wait', '--title', 'fix', '--help', 'flag'], 2],
      [['ask', '--wait', '--title', 'fix', '-h'], 2],
      [['ask', '--wait', '--title', 'fix', '--version'], 2],
      [['ask', '--title', 'fix', '--help', 'flag', '--run', '--', 'true'], 125],
      [['ask', '--run', '--help', '--', 'true'], 125],
      [['withdraw', 'a', '--help'], 2],
    ])('%j ends with an error, because 0 would be a decision', async (words, code) => {
      const { err, ...end } = await ended(words);
      expect(end).toMatchObject({ code });
      const word = words.find((each) => /^(--help|-h|--version)$/.test(each));
      expect(err).toContain(
        `error: nothing was done, because one of the words is ${word}. Quote the text that contains it.\n`,
      );
    });
  });

  test('lists its commands', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    for (const name of ['start', 'people', 'manifest', 'keys']) {
      expect(out).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
    expect((await run('help keys')).out).toMatch(/new/);
  });

  test('shows only defaults that are useful', async () => {
    expect((await run('ask --help')).out).not.toContain('{}');
    expect((await run('audit list --help')).out).toMatch(/--since .*\(default: "7d"\)/s);
    expect((await run('audit export --help')).out).not.toMatch(/--since .*\(default: "7d"\)/s);
  });

  test.each([
    ['strat', /error: unknown command 'strat'\n\(Did you mean start\?\)\nSee gatepost --help\.\n/],
    ['serve', /error: unknown command 'serve'\nSee gatepost --help\.\n/],
    ['peple list', /unknown command 'peple'\n\(Did you mean people\?\)/],
    ['keys old', /error: unknown command 'old'/],
    ['people lst', /error: unknown command 'lst'/],
    ['start now', /error: too many arguments/],
    ['--verbose', /error: unknown option '--verbose'/],
  ])('does not understand %s, starts nothing and ends with 2', async (words, said) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(said);
  });
});

describe('keys public', () => {
  const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
  const printed = (words: string, value: string | undefined) =>
    runHere(['keys', ...words.split(' ')], { env: { GATEPOST_KEYS: value } });

  test('prints the public half of the pair that the first key signs with', async () => {
    const { code, out, err } = await printed('public', `${key('k2', 2)},${key('k1', 1)}`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(createPublicKey(out).asymmetricKeyType).toBe('ed25519');
    expect(out).toBe((await printed('public', key('other', 2))).out);
    expect(out).not.toBe((await printed('public', key('k2', 3))).out);
    const signed = reportKey({ id: 'k2', key: Buffer.alloc(32, 2) }).sign(Buffer.from('digest'));
    expect(verify(null, Buffer.from('digest'), out, signed)).toBe(true);
  });

  test('prints that of an older key by its id', async () => {
    const { out } = await printed('public --id k1', `${key('k2', 2)},${key('k1', 1)}`);
    expect(out).toBe((await printed('public', key('k1', 1))).out);
  });

  test.each([
    ['public', undefined, /^GATEPOST_KEYS is not set/],
    ['public --id k9', key('k1', 1), /^GATEPOST_KEYS has no key with the id "k9"\.\n$/],
    ['public', 'k1:short', /GATEPOST_KEYS/],
  ])('%s ends with 2 with GATEPOST_KEYS=%s', async (words, value, problem) => {
    const { code, out, err } = await printed(words, value);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(problem);
    expect(err).not.toContain('short');
  });
});

describe('keys new', () => {
  test('prints a key that GATEPOST_KEYS takes, another one each time', async () => {
    const [one, other] = [await run('keys new'), await run('keys new')];
    expect(one.code).toBe(0);
    const keys = encryptionKeys.parse(`${one.out.trim()},${other.out.trim()}`);
    expect(new Set(keys.map(({ key }) => key.toString('hex'))).size).toBe(2);
  });

  test('names the key as asked for', async () => {
    expect((await run('keys new --id k2')).out).toMatch(/^k2:[A-Za-z0-9+/]{43}=\n$/);
    expect(await run('keys new --id k:2')).toMatchObject({ code: 2, out: '' });
  });
});

describe('manifest', () => {
  const own = readFile(new URL('../../manifest.yml', import.meta.url), 'utf8');
  const urlsIn = (text: string) => text.match(/https:\/\/\S+/g) ?? [];

  test('has the address of the bot in every url, and is otherwise that of the repository', async () => {
    const { code, out } = await run('manifest --url https://bot.example.org/gate/');
    expect(code).toBe(0);
    expect(new Set(urlsIn(out))).toEqual(new Set(['https://bot.example.org/gate/slack/events']));
    const template = await own;
    const places = urlsIn(template).filter((url) => url.includes('gatepost.example.com'));
    expect(urlsIn(out)).toHaveLength(places.length);
    const back = out.replaceAll('https://bot.example.org/gate', 'https://gatepost.example.com');
    expect(parse(back)).toEqual(parse(template));
    expect(out).not.toMatch(/#[^"]*$/m);
  });

  test('has no url for Socket Mode, and switches it on', async () => {
    const { out } = await run('manifest --socket');
    expect(urlsIn(out)).toEqual([]);
    const { settings, features, oauth_config } = parse(out);
    expect(settings.socket_mode_enabled).toBe(true);
    expect(settings.interactivity).toEqual({ is_enabled: true });
    expect(settings.event_subscriptions.bot_events).toContain('user_change');
    expect(features.slash_commands.map(({ command }: { command: string }) => command)).toContain(
      '/approvals',
    );
    expect(oauth_config).toEqual(parse(await own).oauth_config);
  });

  test('as JSON is the same', async () => {
    const { out } = await run('manifest --socket --json');
    expect(JSON.parse(out)).toEqual(parse((await run('manifest --socket')).out));
  });

  test('with some features leaves out what only the others need', async () => {
    const { code, out } = await run('manifest --url https://bot.example.org --features approvals');
    expect(code).toBe(0);
    const [made, whole] = [parse(out), parse(await own)];
    expect(made.features.slash_commands).toMatchObject([{ command: '/approvals' }]);
    expect(made.features).not.toHaveProperty('shortcuts');
    expect(made.settings.event_subscriptions.bot_events).toEqual(FEATURES.approvals.slack?.events);
    expect(made.settings.interactivity).toEqual({
      is_enabled: true,
      request_url: 'https://bot.example.org/slack/events',
    });
    expect(made.oauth_config).toEqual(whole.oauth_config);
    expect(made.display_information.description).toBe('Decide on waiting automations from Slack');
  });

  test('has a feature for each command, shortcut and event, and all features together make the whole manifest', async () => {
    const text = await own;
    const whole = parse(text);
    const parts = Object.values(FEATURES).flatMap(({ slack }) => slack ?? []);
    const ids = (list: readonly Record<string, string>[], key: string) =>
      list.map((each) => each[key]).sort();
    expect(parts.flatMap(({ commands }) => commands).sort()).toEqual(
      ids(whole.features.slash_commands, 'command'),
    );
    expect(parts.flatMap(({ shortcuts }) => shortcuts).sort()).toEqual(
      ids(whole.features.shortcuts, 'callback_id'),
    );
    expect([...new Set(parts.flatMap(({ events }) => events))].sort()).toEqual(
      whole.settings.event_subscriptions.bot_events.sort(),
    );
    const without = (left: FeatureName) =>
      FEATURE_NAMES.filter((feature) => feature !== left && FEATURES[feature].slack !== undefined);
    const described = parse(manifestFor(text, 'https://h/e', without('accounts')));
    expect(described.display_information).toEqual(whole.display_information);
    // Slack takes no empty list, and no more than 140 characters.
    for (const feature of without('approvals')) {
      const made = parse(manifestFor(text, 'https://h/e', ['approvals', feature]));
      expect(made.features.slash_commands).toHaveLength(2);
      expect(made.features.shortcuts ?? ['one']).toHaveLength(1);
      expect(made.settings.event_subscriptions.bot_events.length).toBeGreaterThan(0);
      expect(made.display_information.description.length).toBeLessThanOrEqual(140);
    }
  });

  test('changes nothing but urls and the mode', async () => {
    expect(manifestFor('a: { b: 1, other_url: x }\n', 'https://h/e')).toContain(
      'other_url: https://h/e',
    );
  });

  test.each([
    ['manifest', /--url, or add --socket/],
    ['manifest --url http://bot.example.org', /must begin with https/],
    ['manifest --url bot', /must be an address/],
    ['manifest --socket --features task', /unknown feature 'task'\. Did you mean tasks\?/],
    ['manifest --socket --features approvals,x', /'x'\. Known: approvals, tasks, test-cases, acc/],
  ])('%s is refused', async (words, said) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(said);
  });
});

describe('output that cannot be written', () => {
  // All commands: process/output.test.ts.
  test('ends a command with another code than 0, and is reported unless its reader stopped', async () => {
    expect(await outputOf('--version', '| true')).toEqual(['ended with 141']);
    if (!existsSync('/dev/full')) return;
    expect(await outputOf('--version', '> /dev/full')).toEqual([
      'The output cannot be written (ENOSPC): it is not complete.',
      'ended with 1',
    ]);
  });

  test('refuses bytes that are not UTF-8 before anything is sent or run', async () => {
    const bad = `"$(printf 'caf\\351')"`;
    const env = { GATEPOST_URL: 'http://127.0.0.1:9', GATEPOST_INTAKE_SECRET: 'secret' };
    const said = (place: string) =>
      `error: ${place} is not text in UTF-8, or contains the character U+FFFD.`;
    const help = 'See gatepost ask --help.';
    expect(await outputOf(`ask --title x --run -- echo ${bad}`, '| true', env)).toEqual([
      said('Word 2 after --'),
      help,
      'ended with 125',
    ]);
    expect(await outputOf(`ask --title ${bad}`, '| true', env)).toEqual([
      said('What follows --title'),
      help,
      'ended with 2',
    ]);
  });
});
