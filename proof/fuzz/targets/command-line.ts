import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { runCommandLine } from '../../../src/cli/program.ts';
import { system } from '../../../src/core/lib/system.ts';
import { timingAt } from '../../../src/core/lib/timing.ts';
import type { Chance } from '../../simulation/chance.ts';
import { oddText, spoiledText } from '../mutate.ts';
import { Finding, type Target } from '../target.ts';

const SECRET = 'mark-4f3e2d1c0b9a8877';

const LINES = [
  'start',
  '--version',
  '--help',
  'help ask',
  'keys new --id k2',
  'manifest --url https://bot.example.org/gate',
  'manifest --socket',
  'ask --title Deploy --key checkout/1 --timeout 30s --json --wait',
  'ask --title Deploy --route deploys --field Version=4.2 --link https://example.com --quorum 2',
  'ask --title Deploy --need SRE=S0SRE,U0ANA --need Security:2=S0SEC --wait',
  'ask --title Deploy --bind package.json --supersedes checkout/main --run -- true',
  'ask --token-stdin --channel C0DEPLOYS --reviewers U0ANA,S0GROUP --requested-by ana@example.com',
  'mcp',
  'people list --json',
  'people find ana@example.com --json',
  'people create ana@example.com --display-name Ana --yes',
  'people update ana@example.com --title Lead',
  'people import people.csv --dry-run',
  'people deactivate ana@example.com --yes',
  'audit list --json',
  'audit show 0-abc',
  'audit export --format csv',
  'audit verify --head',
  'doctor --json',
] as const;

const CODES = [0, 1, 2, 3, 4, 5, 125, 130];

/**
 * Arguments of `gatepost`, without a network: they are accepted or refused, and nothing of the environment is shown.
 */
export const commandLineTarget: Target = {
  name: 'command-line',
  weight: 4,
  open: async () => ({ run: runOnce, close: async () => {} }),
};

async function runOnce(chance: Chance): Promise<void> {
  const words = wordsOf(chance);
  const stdin = Object.assign(new PassThrough(), { isTTY: chance.often(0.3) });
  stdin.end(chance.often(0.5) ? '' : oddText(chance));
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let said = '';
  for (const stream of [stdout, stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  }
  // Somebody presses Ctrl-C soon: a network request would wait for it.
  const stopping = new AbortController();
  const cancel = system.timers.after(30, () => stopping.abort());
  let code = 0;
  const { signal } = stopping;
  const streams = { stdin, stdout, stderr, signal, interrupted: signal, takeSignals: () => {} };
  const terminal = { ...streams, user: 'ops', host: 'desk' };
  await runCommandLine(words, {
    terminal: { ...terminal, env: environment(chance) },
    system,
    timing: timingAt(0.01),
    version: '1.2.3',
    start: async () => {},
    onEnd: (ended) => {
      code = ended;
    },
  });
  cancel();
  await Promise.all([stdout, stderr].map((stream) => finished(stream.end(), { writable: false })));
  if (!CODES.includes(code)) throw new Finding('crash', `ended with ${code}`);
  if (said.includes(SECRET)) throw new Finding('leak', `it says a secret: ${said}`);
  if (/^ {4}at .*\(.*:\d+:\d+\)$/m.test(said))
    throw new Finding('crash', `it shows a stack: ${said}`);
}

function wordsOf(chance: Chance): string[] {
  const words = chance.pick(LINES).split(' ');
  for (let count = chance.whole(0, 3); count > 0; count -= 1) {
    const at = chance.whole(0, words.length - 1);
    switch (chance.whole(0, 4)) {
      case 0:
        words.splice(at, 1);
        break;
      case 1:
        words.splice(at, 0, words[chance.whole(0, words.length - 1)] ?? '--');
        break;
      case 2:
        words.splice(
          at,
          0,
          chance.pick(['--', '-', '--json', '--help', '--yes', '-x=1', '--constructor', '']),
        );
        break;
      case 3:
        words[at] = spoiledText(words[at] ?? '', chance);
        break;
      default:
        words[at] = oddText(chance).slice(0, 5_000);
    }
  }
  return words;
}

/** Rarely complete: most commands say what is missing. Nothing listens anywhere. */
function environment(chance: Chance): Record<string, string> {
  const key = Buffer.from(SECRET.padEnd(32, 'x')).toString('base64');
  return {
    // Never the folder of a real bot; commands that only read create nothing there.
    DATA_DIR: '/dev/null/gatepost-fuzz',
    SCIM_TOKEN: SECRET,
    GATEPOST_INTAKE_SECRET: SECRET,
    GATEPOST_KEYS: chance.often(0.5) ? `k1:${key}` : `k1:${SECRET}`,
    ...(chance.often(0.3) && {
      SERVICE_URL: 'https://127.0.0.1:9',
      GATEPOST_URL: 'https://127.0.0.1:9',
    }),
    // No system has a NUL in its environment.
    ...(chance.often(0.1) && { SERVICE_URL: `${SECRET}${oddText(chance).replaceAll('\0', '')}` }),
  };
}
