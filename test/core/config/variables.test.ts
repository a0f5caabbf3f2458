import { expect, it } from 'vitest';
import { readConfig } from '../../../src/app/configuration.ts';
import { SECRETS, VARIABLES, variablesTable } from '../../../src/core/config/variables.ts';

it.each(['http', 'socket'])(
  'the table of variables has all that are read, and says which are required (%s)',
  (mode) => {
    const asked = new Set<string>();
    const env = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => {
          asked.add(String(name));
          return name === 'SLACK_MODE' ? mode : undefined;
        },
      },
    );
    const answer = readConfig(env, { command: 'start' });
    const names = VARIABLES.flatMap((row) =>
      'orLowerCase' in row ? [row.name, row.name.toLowerCase()] : [row.name],
    );
    const files = SECRETS.map((name) => `${name}_FILE`);
    expect([...asked].sort()).toEqual([...names, ...files].sort());
    const wanted: readonly string[] = ['always', 'start', mode];
    const required = VARIABLES.filter(({ required = '' }) => wanted.includes(required)).map(
      ({ name }) => name,
    );
    const missing = answer.ok ? [] : answer.problems.map(({ name }) => name);
    expect(missing.sort()).toEqual(required.sort());
  },
);

it('the table of variables has one row for each', () => {
  const lines = variablesTable().split('\n');
  expect(lines).toHaveLength(VARIABLES.length + 2);
  expect(lines.slice(0, 3)).toEqual([
    '| variable | default | meaning |',
    '|---|---|---|',
    '| `SLACK_BOT_TOKEN` | required | The bot token, `xoxb-…` (OAuth & Permissions) |',
  ]);
  for (const line of lines) expect(line.split('|')).toHaveLength(5);
});
