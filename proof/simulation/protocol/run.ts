/**
 * `npm run explore`: tries every order of events of the protocol, with each rule in place and with each left out. The
 * last line is JSON; exit code 1 if a promise was broken, or if a missing rule was not noticed.
 */

import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { explore } from './explore.ts';
import type { Bounds } from './model.ts';
import { PROTOCOL_PLANTS } from './record.ts';

/** Within these bounds every missing rule is noticed. */
export const SMALL: readonly Bounds[] = [
  { presses: 1, crashes: 1, lostAnswers: 1, pauses: 1, rewinds: 0 },
  { presses: 3, crashes: 1, lostAnswers: 1, pauses: 0, rewinds: 0 },
  { presses: 2, crashes: 0, lostAnswers: 0, pauses: 0, rewinds: 1 },
];

/** Several million states, most of them in the last one. */
const LARGE: readonly Bounds[] = [
  { presses: 3, crashes: 1, lostAnswers: 1, pauses: 1, rewinds: 0 },
  { presses: 1, crashes: 1, lostAnswers: 1, pauses: 1, rewinds: 1 },
  { presses: 3, crashes: 1, lostAnswers: 1, pauses: 0, rewinds: 1 },
];

function run(bounds: Bounds) {
  const startedAt = performance.now();
  const { states, moves, ends, violation } = explore(bounds);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  console.log(JSON.stringify({ ...bounds, states, moves, ends, seconds, wrong: violation?.what }));
  for (const line of violation?.story ?? []) console.log(`  ${line}`);
  return { states, isRight: violation === null };
}

if (process.argv[1] === import.meta.filename) {
  const all = (process.argv.includes('--small') ? SMALL : [...SMALL, ...LARGE]).map(run);
  const unnoticed = PROTOCOL_PLANTS.filter((plant) => {
    console.log(`without the rule: ${plant}`);
    return SMALL.every((bounds) => run({ ...bounds, plant }).isRight);
  });
  const broken = all.filter(({ isRight }) => !isRight).length;
  if (broken > 0) console.log('The protocol breaks a promise: the story is above.');
  for (const plant of unnoticed) console.log(`Not noticed: ${plant}`);
  const states = all.reduce((sum, each) => sum + each.states, 0);
  const rulesLeftOut = PROTOCOL_PLANTS.length;
  console.log(JSON.stringify({ states, rulesLeftOut, broken, unnoticed: unnoticed.length }));
  if (broken + unnoticed.length > 0) process.exitCode = 1;
}
