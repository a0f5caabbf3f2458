import type { Command } from 'commander';
import { formatProblems, readStoreConfig } from '../core/config/read-config.ts';
import type { Random } from '../core/lib/random.ts';
import type { System } from '../core/lib/system.ts';
import { reportKey } from '../core/store/report-key.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

const KEY_BYTES = 32;
const ID = /^[\w-]{1,32}$/;

/** `keys`: each verb prints one key, alone on standard output. */
export function addKeys(
  keys: Command,
  terminal: Terminal,
  { random }: System,
  onEnd: (code: ExitCode) => void,
): void {
  const { stdout, stderr } = terminal;
  keys
    .command('new')
    .description('print a new key for GATEPOST_KEYS; to rotate, put it first and keep the others')
    .option('--id <id>', 'name of the key, 1 to 32 letters, digits, "_" or "-"')
    .action(({ id }: { id?: string }, command: Command) => {
      if (id !== undefined && !ID.test(id)) {
        command.error('error: --id takes 1 to 32 letters, digits, "_" or "-".');
      }
      stdout.write(`${newKey(random, id)}\n`);
      if (stdout.isTTY) stderr.write('Put it first in GATEPOST_KEYS, and keep it secret.\n');
    });
  keys
    .command('public')
    .description('print the public key that checks reports of `audit report`; needs GATEPOST_KEYS')
    .option('--id <id>', 'the pair of this key (default: the first, which signs)')
    .action(({ id }: { id?: string }) => onEnd(printPublic(terminal, id)));
}

function printPublic({ env, stdout, stderr }: Terminal, id: string | undefined): ExitCode {
  const read = readStoreConfig(env);
  if (!read.ok) {
    stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  const { keys } = read.config;
  const key = id === undefined ? keys[0] : keys.find((each) => each.id === id);
  if (key === undefined) {
    stderr.write(
      keys.length === 0
        ? "GATEPOST_KEYS is not set. Set it to the bot's value.\n"
        : `GATEPOST_KEYS has no key with the id ${JSON.stringify(id)}.\n`,
    );
    return EXIT.usage;
  }
  stdout.write(reportKey(key).pem);
  return EXIT.done;
}

/** A key for GATEPOST_KEYS. Its usual name is random, so that a new key does not have the name of an old one. */
export function newKey(random: Random, id = `k${random.bytes(3).toString('hex')}`): string {
  return `${id}:${random.bytes(KEY_BYTES).toString('base64')}`;
}
