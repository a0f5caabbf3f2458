import type { Command } from 'commander';
import { jsonSchemaOfFile } from '../core/config/file.ts';
import type { Terminal } from './terminal.ts';

/** `config schema`: what gatepost.yaml takes, for editors that complete and check it. */
export function addConfig(program: Command, { stdout }: Terminal): void {
  const config = program.command('config').description('what gatepost.yaml takes');
  config
    .command('schema')
    .description('print its JSON Schema, for an editor that completes and checks it')
    .action(() => void stdout.write(`${JSON.stringify(jsonSchemaOfFile(), null, 2)}\n`));
}
