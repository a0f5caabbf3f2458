import type { Command } from 'commander';
import { readConfig } from '../app/configuration.ts';
import { lastOf, windowsAt } from '../approvals/electorate/closed.ts';
import { closedFrom } from '../approvals/electorate/closed-from.ts';
import { channelsOf, storeClosing, WHY_MAX } from '../approvals/ways-in/closing/store-closing.ts';
import { readEnd } from '../approvals/ways-in/read-end.ts';
import { routesNamed } from '../approvals/ways-in/routes-named.ts';
import type { Config, Route } from '../core/config/config.ts';
import { formatProblems } from '../core/config/read-config.ts';
import { cleanLine } from '../core/lib/clean-line.ts';
import type { System } from '../core/lib/system.ts';
import { TRUE_TIME } from '../core/lib/timing.ts';
import { visitStore } from '../core/store/open-store.ts';
import { type Store, StoreConfigError, StoreError } from '../core/store/store.ts';
import {
  EXIT,
  type ExitCode,
  OutputError,
  print,
  type Terminal,
  unwrittenCode,
} from './terminal.ts';

interface Options {
  readonly until: string;
  readonly why: string;
  readonly json?: true;
}

type Change =
  | { readonly kind: 'close'; readonly until: number; readonly why: string }
  | { readonly kind: 'open' };

/** `close`: for operators, in the bot's own store, whether or not the bot is running. */
export function addClose(
  close: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
): void {
  close
    .argument('<route>', 'its name, or all')
    .requiredOption('--until <time>', 'such as "Mon 08:00", in the time zone of this machine')
    .requiredOption('--why <text>', 'what people read')
    .option('--json', 'print one JSON object')
    .action(async (of: string, { until, why, json }: Options, command: Command) => {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const end = readEnd(until, system.clock.now(), zone);
      if (end.kind !== 'end') command.error(`error: ${END_PROBLEMS[end.kind]}`);
      const said = cleanLine(why);
      if (said === '' || said.length > WHY_MAX) {
        command.error(`error: --why needs one to ${WHY_MAX} characters.`);
      }
      // as: `error` has thrown otherwise
      const { until: at } = end as Extract<typeof end, { kind: 'end' }>;
      const change = { kind: 'close', until: at, why: said } as const;
      onEnd(await inStore(terminal, system, command, { of, change, json }));
    });
}

/** `open`: the same. */
export function addOpen(
  open: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
): void {
  open
    .argument('<route>', 'its name, or all')
    .option('--json', 'print one JSON object')
    .action(async (of: string, { json }: Pick<Options, 'json'>, command: Command) => {
      const change = { kind: 'open' } as const;
      onEnd(await inStore(terminal, system, command, { of, change, json }));
    });
}

const END_PROBLEMS = {
  past: '--until is in the past.',
  'too-far': '--until is too far ahead.',
  'other-weekday': 'The date of --until is on another weekday.',
  ambiguous: '--until can mean several times. Write a date, such as "30 Nov 08:00".',
  unknown: '--until is not understood. Write it like "Mon 08:00" or "24 Dec".',
} as const;

interface Wanted {
  readonly of: string;
  readonly change: Change;
  readonly json: true | undefined;
}

async function inStore(
  terminal: Terminal,
  system: System,
  command: Command,
  { of, change, json }: Wanted,
): Promise<ExitCode> {
  const read = readConfig(terminal.env, { command: 'doctor' });
  if (!read.ok) {
    terminal.stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  if (read.config.keys.length === 0) {
    terminal.stderr.write(
      "GATEPOST_KEYS is not set, so the audit log's entry could not be signed. Set it to the bot's value.\n",
    );
    return EXIT.usage;
  }
  const routes = routesNamed(read.config, of);
  if (typeof routes === 'string') command.error(`error: ${routes.replaceAll('`', '"')}`);
  try {
    return await changeAll(terminal, system, read.config, routes as readonly Route[], change, json);
  } catch (error) {
    if (error instanceof OutputError) return unwrittenCode(error);
    if (error instanceof StoreConfigError) {
      terminal.stderr.write(`${error.message}. ${error.fix}\n`);
      return EXIT.usage;
    }
    if (!(error instanceof StoreError)) throw error;
    terminal.stderr.write(`${TROUBLE[error.code]}\n`);
    return EXIT.notDone;
  }
}

const TROUBLE = {
  unavailable: 'The store did not answer, so not everything was changed. Try again.',
  unknown: 'Gatepost cannot tell yet whether that counts. Run it again: it does no harm twice.',
} as const;

async function changeAll(
  terminal: Terminal,
  system: System,
  config: Config,
  routes: readonly Route[],
  change: Change,
  json: true | undefined,
): Promise<ExitCode> {
  const store = await visitStore(config, system);
  if (store === null) {
    terminal.stderr.write('There is no Gatepost store here. Set REDIS_URL or DATA_DIR.\n');
    return EXIT.usage;
  }
  await using visited = store;
  const by = `os:${terminal.user}@${terminal.host}`;
  const id = `cli.${Buffer.from(system.random.bytes(12)).toString('hex')}`;
  const changed = [];
  for (const route of routes) {
    const made = { ...change, by, channels: channelsOf(route) };
    const closing = await storeClosing(
      { store: visited, timers: system.timers },
      route.name,
      id,
      made,
    );
    const window = lastOf(windowsAt(route, visited.now()));
    changed.push({ route: route.name, ...stateOf(visited, change, closing !== undefined, window) });
  }
  const lines = changed.map((each) => lineOf(each, change.kind));
  await print(
    terminal,
    json ? `${JSON.stringify({ routes: changed })}\n` : `${lines.join('\n')}\n`,
  );
  return EXIT.done;
}

/** `from`: what had begun has ended by then. */
function stateOf(
  store: Store,
  change: Change,
  isChanged: boolean,
  window: ReturnType<typeof lastOf>,
) {
  const iso = (at: number) => new Date(at).toISOString();
  if (change.kind === 'close') {
    const { until, why } = lastOf([change, ...(window ? [window] : [])]) ?? change;
    const from = iso(closedFrom(store.now(), TRUE_TIME));
    return { isChanged, closed: { from, until: iso(until), why } };
  }
  return { isChanged, ...(window && { closed: { until: iso(window.until), why: window.why } }) };
}

type Changed = { readonly route: string } & ReturnType<typeof stateOf>;

function lineOf({ route, isChanged, closed }: Changed, kind: Change['kind']): string {
  if (closed !== undefined && 'from' in closed) {
    return `${route}: closed from ${closed.from} until ${closed.until}: ${closed.why}`;
  }
  if (closed !== undefined) {
    return `${route}: stays closed until ${closed.until}, because gatepost.yaml says so: ${closed.why}`;
  }
  return kind === 'open' && isChanged ? `${route}: open` : `${route}: was not closed`;
}
