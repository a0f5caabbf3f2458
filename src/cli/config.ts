import type { Command } from 'commander';
import { ROUTE_RULES } from '../app/configuration.ts';
import { jsonSchemaOfFile } from '../core/config/file.ts';
import type { Terminal } from './terminal.ts';

/** `config schema`: the schema of gatepost.yaml, for editors. */
export function addConfig(config: Command, { stdout }: Terminal): void {
  config
    .command('schema')
    .description('print its JSON Schema, so that editors can complete and check the file')
    .action(() => void stdout.write(`${JSON.stringify(jsonSchemaOfFile(ROUTE_RULES), null, 2)}\n`));
}
