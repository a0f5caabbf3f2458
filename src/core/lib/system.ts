/**
 * Building blocks that know nothing of Gatepost: time, randomness, text, secrets. Whatever varies between runs is
 * passed in; this file has the real implementations.
 */

import { type Clock, systemClock } from './clock.ts';
import { type Random, systemRandom } from './random.ts';
import { systemTimers, type Timers } from './timers.ts';

/** Everything that varies between runs, except other systems. */
export interface System {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

/** The real implementations, for programs to pass on. */
export const system: System = {
  clock: systemClock,
  timers: systemTimers,
  random: systemRandom,
};
