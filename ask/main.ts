#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { system } from '../src/core/lib/system.ts';
import { ownTerminal, readyToAsk, watchOutput } from './own-process.ts';
import { isAsk } from './signals.ts';

/** The package's own program: `gatepost-ask` is `gatepost ask`, and `gatepost-ask withdraw` is `gatepost withdraw`. */

const given = process.argv.slice(2);
const words = given[0] === 'withdraw' ? given : ['ask', ...given];
const output = watchOutput();
const terminal = ownTerminal(words, { env: process.env }, output.lost);
if (isAsk(words)) readyToAsk(words, terminal);
const { runAsk } = await import('./program.ts');
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
await runAsk(words, {
  terminal,
  system,
  version,
  onDecided(code) {
    process.exitCode = code;
    output.unwatch();
  },
  onUsage(code) {
    process.exitCode = code;
  },
});
