import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { readConfig } from '../../../src/app/configuration.ts';
import { formatProblems } from '../../../src/core/config/read-config.ts';
import type { Command } from '../../../src/core/config/variables.ts';
import { VARIABLES } from '../../../src/core/config/variables.ts';
import type { Chance } from '../../simulation/chance.ts';
import { oddText, spoiledText, spoiledValue } from '../mutate.ts';
import { Finding, type OpenTarget, type Target } from '../target.ts';

const EXAMPLE = readFileSync(new URL('../../../gatepost.example.yaml', import.meta.url), 'utf8');

/** The environment and `gatepost.yaml`: the result is settings, or a list of problems without a value in it. */
export const settingsTarget: Target = {
  name: 'yaml',
  weight: 5,
  open: async () => {
    // as: the example is a mapping
    const example = parseDocument(EXAMPLE).toJS() as Record<string, unknown>;
    return {
      run: (chance) => readOnce(example, chance),
      close: async () => {},
    } satisfies OpenTarget;
  },
};

async function readOnce(example: Record<string, unknown>, chance: Chance): Promise<void> {
  const mark = `mark${chance.bytes(6).toString('hex')}`;
  const env = environment(mark, chance);
  const text = fileText(example, mark, chance);
  const command = chance.pick<Command>(['start', 'doctor', 'people']);
  const read = readConfig(env, {
    command,
    readFile: () => {
      if (chance.often(0.02)) throw Object.assign(new Error(mark), { code: 'ENOENT' });
      return text;
    },
  });
  const said = read.ok ? read.warnings.join('\n') : formatProblems(read.problems);
  if (!read.ok && read.problems.length === 0)
    throw new Finding('crash', 'refused without a problem');
  if (said.includes(mark)) throw new Finding('leak', `a problem repeats a value: ${said}`);
}

/** Every value that is not an enumerated word contains the mark. */
function environment(mark: string, chance: Chance): Record<string, string> {
  const key = Buffer.from(mark.padEnd(32, 'x')).toString('base64');
  const right: Record<string, string> = {
    SLACK_BOT_TOKEN: `xoxb-${mark}`,
    SLACK_SIGNING_SECRET: mark,
    SLACK_APP_TOKEN: `xapp-${mark}`,
    SERVICE_URL: `https://${mark}.example.com`,
    GATEPOST_KEYS: `k1:${key}`,
    GATEPOST_INTAKE_SECRET: `${mark}-intake-secret-0123456789`,
    GATEPOST_CHANNEL: 'C0DEPLOYS',
    GATEPOST_REVIEWERS: 'U0ANA,S0GROUP',
    GATEPOST_ADMINISTRATORS: 'U0ANA',
    SERVICE_API_KEY: mark,
    SCIM_TOKEN: mark,
    REDIS_URL: `redis://:${mark}@127.0.0.1:6379`,
    INTAKE_DEPLOYS_SECRET: `${mark}-deploys-secret-0123456789`,
    INTAKE_BACKUPS_SECRET: `${mark}-backups-secret-0123456789`,
    INTAKE_BOARD_SECRET: `whsec_${key}`,
    CALLBACK_DEPLOYS_SECRET: `whsec_${key}`,
    GATEPOST_CONFIG: 'gatepost.yaml',
  };
  for (let count = chance.whole(0, 4); count > 0; count -= 1) {
    const name = chance.often(0.5)
      ? chance.pick(Object.keys(right))
      : chance.pick(VARIABLES.map((row) => row.name));
    if (name === undefined) continue;
    const value = right[name] ?? mark;
    right[name] = chance.often(0.3) ? mark + oddText(chance) : spoiledText(value, chance) + mark;
  }
  return right;
}

function fileText(example: Record<string, unknown>, mark: string, chance: Chance): string {
  if (chance.often(0.3)) return spoiledText(EXAMPLE, chance);
  if (chance.often(0.1)) return chance.pick(ODD_FILES);
  const marked = chance.often(0.5)
    ? { ...example, links: { task: mark, testCase: `${mark}://x` } }
    : example;
  // JSON is also YAML.
  const text = JSON.stringify(spoiledValue(marked, chance)) ?? '';
  return chance.often(0.2) ? spoiledText(text, chance) : text;
}

/** Endless aliases, merge keys, tags, several documents, other types at the top level. */
const ODD_FILES = [
  '',
  '---\n---\na: 1',
  'a: &a [x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\nroutes: [*d, *d, *d, *d, *d, *d, *d, *d, *d]',
  'routes: &r\n  self: *r',
  'routes: !!js/function "x"',
  'routes: !!binary "gZ=="',
  '<<: {routes: 1}',
  '? [a, b]\n: 1\n? {c: d}\n: 2',
  '- 1\n- 2',
  'null',
  '"text"',
  '%YAML 9.9\n---\nroutes: {}',
  '__proto__: {routes: {}}\nconstructor: 1',
  `${'['.repeat(3_000)}`,
  `${'a: {'.repeat(1_000)}${'}'.repeat(1_000)}`,
  `${'- '.repeat(5_000)}x`,
  'routes:\n\tdeploys: 1',
  '\ufeffroutes: {}\u0000',
] as const;
