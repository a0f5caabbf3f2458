import process from 'node:process';
import { clickAck } from './click-ack.ts';
import { clickShown } from './click-shown.ts';
import { clickThroughput } from './click-throughput.ts';
import { intake } from './intake.ts';
import { pending } from './pending.ts';
import { start } from './start.ts';
import { build } from './support/build.ts';
import { printMachine } from './support/print-machine.ts';

/** `npm run bench [-- names…]`: what is named, or everything but `pending`. */
const BENCHES: ReadonlyMap<string, () => Promise<void>> = new Map([
  ['intake', intake],
  ['click-ack', clickAck],
  ['click-shown', clickShown],
  ['click-throughput', clickThroughput],
  ['start', start],
  ['pending', pending],
]);
const ONLY_WHEN_NAMED = 'pending';

const named = process.argv.slice(2);
const names = named.length > 0 ? named : [...BENCHES.keys()].filter((it) => it !== ONLY_WHEN_NAMED);
const unknown = names.filter((name) => !BENCHES.has(name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}: ${[...BENCHES.keys()].join(', ')}`);
  process.exit(2);
}
// Everything that was started ends with this process.
process.on('SIGINT', () => process.exit(1)).on('SIGTERM', () => process.exit(1));
process.setMaxListeners(0);
await build();
await printMachine();
for (const name of names) await BENCHES.get(name)?.();
