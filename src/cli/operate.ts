import type { Command } from 'commander';
import type { OperatorAct } from '../approvals/ways-in/part.ts';
import { OPERATORS } from '../approvals/ways-in/parts.ts';
import { routesNamed } from '../approvals/ways-in/routes-named.ts';
import type { Config, Route } from '../core/config/config.ts';
import type { System } from '../core/lib/system.ts';
import { visitStore } from '../core/store/open-store.ts';
import { withBotSettings } from './bot-settings.ts';
import { EXIT, type ExitCode, print, type Terminal } from './terminal.ts';

/** A command for operators, in the bot's own store, whether or not the bot is running. */
export function addOperator(
  name: string,
  command: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
): void {
  const operator = OPERATORS.get(name);
  if (operator === undefined) throw new Error('every command for operators has what runs for it');
  command.argument('<route>', 'its name, or all');
  for (const [flags, means] of operator.options) command.requiredOption(flags, means);
  command.option('--json', 'print one JSON object');
  command.action(async (of: string, { json, ...given }: Given) => {
    const act = operator.read(given, system.clock.now());
    if (typeof act === 'string') return command.error(`error: ${act}`);
    const end = await withBotSettings(
      terminal,
      ({ code }) => TROUBLE[code],
      async (config) => {
        if (config.keys.length === 0) {
          terminal.stderr.write(`${NO_KEYS}\n`);
          return EXIT.usage;
        }
        const routes = routesNamed(config, of);
        if (typeof routes === 'string')
          return command.error(`error: ${routes.replaceAll('`', '"')}`);
        return toEach(terminal, system, config, routes, act, json === true);
      },
    );
    onEnd(end);
  });
}

type Given = Readonly<Record<string, string>> & { readonly json?: true };

const NO_KEYS =
  "GATEPOST_KEYS is not set, so the audit log's entry could not be signed. Set it to the bot's value.";

const TROUBLE = {
  unavailable: 'The store did not answer, so not everything was changed. Try again.',
  unknown: 'Gatepost cannot tell yet whether that counts. Run it again: it does no harm twice.',
} as const;

async function toEach(
  terminal: Terminal,
  system: System,
  config: Config,
  routes: readonly Route[],
  act: OperatorAct,
  isJson: boolean,
): Promise<ExitCode> {
  const visited = await visitStore(config, system);
  if (visited === null) {
    terminal.stderr.write('There is no Gatepost store here. Set REDIS_URL or DATA_DIR.\n');
    return EXIT.usage;
  }
  const { timers, random } = system;
  await using store = visited;
  const by = `os:${terminal.user}@${terminal.host}`;
  const id = `cli.${Buffer.from(random.bytes(12)).toString('hex')}`;
  const all = [];
  for (const route of routes) {
    const { json, line } = await act({ store, timers }, route, { id, by });
    all.push({ json: { route: route.name, ...json }, line: `${route.name}: ${line}` });
  }
  const text = isJson
    ? JSON.stringify({ routes: all.map(({ json }) => json) })
    : all.map(({ line }) => line).join('\n');
  await print(terminal, `${text}\n`);
  return EXIT.done;
}
