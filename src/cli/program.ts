import type { Command } from 'commander';
import { completeHelp, newProgram, runWords, VERSION } from '../../ask/command-line.ts';
import { decidingWords, isRun } from '../../ask/signals.ts';
import { OPERATES } from '../app/features.ts';
import type { System } from '../core/lib/system.ts';
import type { Timing } from '../core/lib/timing.ts';
import { EXAMPLES } from './examples.ts';
import type { StartBot } from './setup/first-approval.ts';
import type { Terminal } from './terminal.ts';

interface ProgramNeeds {
  readonly terminal: Terminal;
  readonly system: System;
  /** Default: real time. */
  readonly timing?: Timing;
  /** The package's version. */
  readonly version: string;
  /** Runs the bot, which sets its own exit code. */
  readonly start: () => Promise<void>;
  /** Runs the demo with these arguments, which sets its own exit code. Absent: this program cannot. */
  readonly demo?: (words: readonly string[]) => Promise<void>;
  /** Runs it for the first request of the setup. Absent: this program cannot. */
  readonly startBot?: StartBot;
  /**
   * Called with a command's exit code. `isDecision`: the code is people's decision, or whether it was withdrawn, and
   * counts even if the output could not be read.
   */
  readonly onEnd: (code: number, end?: { readonly isDecision: boolean }) => void;
}

/** Runs one command line, without the program's name. Never rejects because of invalid arguments. */
export async function runCommandLine(words: readonly string[], needs: ProgramNeeds): Promise<void> {
  const { onEnd } = needs;
  await runWords(words, {
    createProgram: () => createProgram(words, needs),
    isRun: isRun(words),
    deciding: decidingWords(words),
    onEnd,
  });
}

/** A command; `add` loads it, and adds what it takes and does. */
interface Row {
  readonly name: string;
  readonly does: string;
  readonly add: (command: Command) => unknown;
}

/** In the order of the help. */
function rowsOf(words: readonly string[], needs: ProgramNeeds): readonly Row[] {
  const { terminal, system, timing, start, demo, startBot = NO_BOT, onEnd } = needs;
  const onDecided = (code: number, isDecision = true) => onEnd(code, { isDecision });
  return [
    {
      name: 'start',
      does: 'run the bot; configured by environment variables',
      add: (command) => command.action(start),
    },
    {
      name: 'demo',
      does: 'try everything in a browser: no Slack account, no Redis',
      add: (command) =>
        command
          .option('--port <number>', 'of the page (default: 4100, or the next one that is free)')
          .action(({ port }: { port?: string }) =>
            demo?.(port === undefined ? [] : ['--port', port]),
          ),
    },
    {
      name: 'setup',
      does: 'create the Slack app, take its tokens, and ask for the first approval',
      async add(command) {
        const { addSetup } = await import('./setup/setup.ts');
        addSetup(command, terminal, system, { startBot, onEnd });
      },
    },
    {
      name: 'ask',
      does: 'ask people in Slack for an approval; needs GATEPOST_URL, and GATEPOST_INTAKE_SECRET or an identity token of the CI system',
      async add(command) {
        const { addAsk } = await import('../../ask/ask.ts');
        addAsk(command, terminal, system, { given: words, onEnd: onDecided });
      },
    },
    {
      name: 'withdraw',
      does: 'withdraw a request of your source; needs the same variables as ask',
      async add(command) {
        const { addWithdraw } = await import('../../ask/withdraw.ts');
        addWithdraw(command, terminal, system, onDecided);
      },
    },
    {
      name: 'mcp',
      does: 'offer approvals to agents over stdio (Model Context Protocol); needs what ask needs',
      async add(command) {
        const { addMcp } = await import('./mcp.ts');
        addMcp(command, terminal, system, onDecided);
      },
    },
    {
      name: 'people',
      does: 'manage accounts in the service; needs SERVICE_URL and SCIM_TOKEN',
      async add(command) {
        const { addPeople } = await import('./people/people-command.ts');
        addPeople(command, terminal, system, onEnd, timing);
      },
    },
    {
      name: 'doctor',
      does: 'check settings, keys, store, service and Slack; uses the same settings as start',
      async add(command) {
        const { addDoctor } = await import('./doctor/doctor.ts');
        addDoctor(command, terminal, system, onEnd);
      },
    },
    {
      name: 'audit',
      does: 'read and verify the audit log; needs REDIS_URL or DATA_DIR',
      async add(command) {
        const { addAudit } = await import('./audit/audit.ts');
        addAudit(command, terminal, system, onEnd);
      },
    },
    ...Object.entries(OPERATES).map(([name, does]) => ({
      name,
      does,
      async add(command: Command) {
        const { addOperator } = await import('./operate.ts');
        addOperator(name, command, terminal, system, onEnd);
      },
    })),
    {
      name: 'who',
      does: "show who would be asked for a request; needs the bot's settings, and asks nobody",
      async add(command) {
        const { addWho } = await import('./who.ts');
        addWho(command, terminal, system, onEnd);
      },
    },
    {
      name: 'manifest',
      does: 'print the manifest of the Slack app, to paste into Slack',
      async add(command) {
        const { addManifest } = await import('./manifest.ts');
        addManifest(command, terminal);
      },
    },
    {
      name: 'keys',
      does: 'keys that Gatepost encrypts and signs with',
      async add(command) {
        const { addKeys } = await import('./keys.ts');
        addKeys(command, terminal, system, onEnd);
      },
    },
    {
      name: 'config',
      does: 'what gatepost.yaml can contain',
      async add(command) {
        const { addConfig } = await import('./config.ts');
        addConfig(command, terminal);
      },
    },
  ];
}

/** `gatepost` with the command that is called, or with all of them for their list. */
async function createProgram(words: readonly string[], needs: ProgramNeeds): Promise<Command> {
  const program = newProgram('gatepost', needs.version, needs.terminal)
    .description("Brings an automation's approval requests into Slack.")
    .usage('<command>')
    .helpCommand(true);
  const rows = rowsOf(words, needs);
  const [first, second] = words;
  const called = first === 'help' ? second : first;
  const isKnown = called === VERSION || rows.some(({ name }) => name === called);
  for (const { name, does, add } of rows) {
    if (isKnown && name !== called) continue;
    await add(program.command(name).description(does));
  }
  completeHelp(program, program.name(), EXAMPLES);
  return program;
}

const NO_BOT: StartBot = async () => ({ ok: false, failure: 'Run gatepost setup itself.' });
