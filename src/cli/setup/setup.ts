import { type Command, Option } from 'commander';
import { address } from '../../core/config/values.ts';
import type { System } from '../../core/lib/system.ts';
import { ALL, readFeatures } from '../manifest.ts';
import { EXIT, type ExitCode, type Terminal } from '../terminal.ts';
import type { StartBot } from './first-approval.ts';
import type { SetupNeeds } from './setup-run.ts';

interface SetupOptions {
  readonly http?: string;
  readonly features?: string;
  readonly channel?: string;
  readonly reviewers?: string;
  readonly file?: string;
  readonly print?: true;
  readonly check?: true;
}

/** `setup`: from nothing to the first approval, in a terminal. */
export function addSetup(
  setup: Command,
  terminal: Terminal,
  system: System,
  { startBot, onEnd }: { readonly startBot: StartBot; readonly onEnd: (code: ExitCode) => void },
): void {
  setup
    .option('--http <address>', "over HTTP, at the bot's public address https://…; not Socket Mode")
    .option('--features <list>', `comma-separated: approvals (always), ${ALL.slice(1).join(', ')}`)
    .option('--channel <id or name>', 'where people decide; otherwise wait for an invitation')
    .option(
      '--reviewers <list>',
      'who decides: ids, names or addresses, comma-separated, or channel',
    )
    .option('--file <path>', 'write the settings there, not to .env')
    .option('--print', 'print the settings instead of writing them')
    .addOption(
      new Option('--check', 'list what this version changes in the Slack app').conflicts([
        'http',
        'channel',
        'reviewers',
        'print',
      ]),
    )
    .action(async (options: SetupOptions, command: Command) => {
      const { http, features, check, ...given } = options;
      const base = http === undefined ? undefined : address.safeParse(http);
      if (base?.success === false) command.error(`error: --http ${base.error.issues[0]?.message}.`);
      const needs: SetupNeeds = {
        terminal,
        system,
        startBot,
        ...given,
        http: base?.data ?? null,
        features: features === undefined ? null : readFeatures(features, command),
      };
      if (check) {
        const { printChanges } = await import('./print-changes.ts');
        return onEnd(await printChanges(needs));
      }
      if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) {
        terminal.stderr.write(NO_TERMINAL);
        return onEnd(EXIT.usage);
      }
      // Loaded here, so that other commands start fast.
      const { runSetup } = await import('./run-setup.ts');
      onEnd(await runSetup(needs));
    });
}

const NO_TERMINAL = `gatepost setup asks questions, and this is not a terminal. Run it in one (docker: -it), or set these variables
yourself (docs/setup.md): SLACK_BOT_TOKEN, SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP),
GATEPOST_KEYS, GATEPOST_INTAKE_SECRET, GATEPOST_CHANNEL, GATEPOST_REVIEWERS, GATEPOST_ADMINISTRATORS.
`;
