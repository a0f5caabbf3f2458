import type { Command } from 'commander';
import type { Random } from '../core/lib/random.ts';
import type { System } from '../core/lib/system.ts';
import type { Terminal } from './terminal.ts';

const KEY_BYTES = 32;
const ID = /^[\w-]{1,32}$/;

/** `keys new`: prints a key for GATEPOST_KEYS, alone on standard output. */
export function addKeys(keys: Command, { stdout, stderr }: Terminal, { random }: System): void {
  keys
    .command('new')
    .description('print a new key; to rotate, put it first and keep the others behind it')
    .option('--id <id>', 'name of the key, 1 to 32 letters, digits, "_" or "-"')
    .action(({ id }: { id?: string }, command: Command) => {
      if (id !== undefined && !ID.test(id)) {
        command.error('error: --id takes 1 to 32 letters, digits, "_" or "-".');
      }
      stdout.write(`${newKey(random, id)}\n`);
      if (stdout.isTTY) stderr.write('Put it first in GATEPOST_KEYS, and keep it secret.\n');
    });
}

/** A key for GATEPOST_KEYS. Its usual name is random, so that a new key does not have the name of an old one. */
export function newKey(random: Random, id = `k${random.bytes(3).toString('hex')}`): string {
  return `${id}:${random.bytes(KEY_BYTES).toString('base64')}`;
}
