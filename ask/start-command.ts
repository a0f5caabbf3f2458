import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isInTerminal, type Terminal } from '../src/cli/terminal.ts';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { tokenVariables } from './id-token.ts';
import { programPath, scriptTrouble } from './program-file.ts';

export interface CommandNeeds {
  readonly terminal: Terminal;
  /** What its command ignores too. */
  readonly ignored: readonly NodeJS.Signals[];
  /** Whether the command gets Gatepost's secret. */
  readonly keepSecret: boolean;
  readonly say: (sentence: string) => void;
}

/** How a command ended. */
export interface Ended {
  readonly code: number;
  /** What went wrong; undefined: nothing. */
  readonly text?: string;
}

/** Without a shell, and with this process's streams; signals are forwarded to the command. */
export async function startCommand(words: readonly string[], needs: CommandNeeds): Promise<Ended> {
  const { terminal, ignored, keepSecret, say } = needs;
  const hidden = [SECRET, ...tokenVariables(terminal.env)];
  const others = Object.fromEntries(
    Object.entries(terminal.env).filter(([name]) => !hidden.includes(name)),
  );
  const env = keepSecret ? terminal.env : others;
  const [name = ''] = words;
  const [file = '', ...args] = ignoring(ignored, words, terminal, env);
  try {
    return await new Promise<Ended>((resolve, reject) => {
      const child = spawn(file, args, { env, stdio: 'inherit' });
      terminal.takeSignals((signal) => {
        // The terminal already sent them to the command, and many programs treat a second one differently.
        if (!TYPED.has(signal) || !isInTerminal(terminal)) child.kill(signal);
      });
      child.on('error', (error) => {
        // The error may also be about a signal that could not be sent.
        if (child.pid === undefined) reject(error);
      });
      child.once('exit', (code, signal) => resolve(endOfCommand(code, signal)));
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const trouble = scriptTrouble(name, env);
    const isMissing = code === 'ENOENT' && trouble === undefined;
    const why = isMissing ? 'was not found' : `cannot be executed (${code})`;
    say(trouble ?? `${cleanLine(name)} ${why}.`);
    return { code: isMissing ? NOT_FOUND : NOT_EXECUTABLE, text: 'Could not be started' };
  }
}

const SECRET = 'GATEPOST_INTAKE_SECRET';

/** Ctrl-C and Ctrl-\. */
const TYPED: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/**
 * The words that start a command which ignores these signals: Node itself starts every command with none ignored. A
 * command that cannot be started is started as it is, so that the system says why.
 */
function ignoring(
  signals: readonly NodeJS.Signals[],
  words: readonly string[],
  terminal: CommandNeeds['terminal'],
  env: CommandNeeds['terminal']['env'],
): readonly string[] {
  const [name = ''] = words;
  // In a terminal, nohup would redirect what the command reads and writes.
  const isHup = signals.every((each) => each === 'SIGHUP') && !isInTerminal(terminal);
  const wrapper = isHup ? 'nohup' : 'sh';
  const isNeeded = signals.length > 0 && programPath(name, env) !== undefined;
  if (!isNeeded || programPath(wrapper, env) === undefined) return words;
  // Some shells drop variables that they could not have set themselves, and nohup drops none.
  if (isHup) return [wrapper, ...words];
  // Not every system has each of them, and not every shell knows each name.
  const numbers = signals.flatMap((each) => constants.signals[each] ?? []).join(' ');
  return [wrapper, '-c', `trap '' ${numbers}; exec "$@"`, wrapper, ...words];
}

/** Exit codes of shells. */
export const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const BY_SIGNAL = 128;

function endOfCommand(code: number | null, signal: NodeJS.Signals | null): Ended {
  if (signal !== null)
    return { code: BY_SIGNAL + constants.signals[signal], text: `Ended by ${signal}` };
  return code === 0 ? { code } : { code: code ?? 1, text: `Exit code ${code ?? 1}` };
}
