/**
 * Pieces that know nothing of Gatepost: time, chance, text, secrets. What differs from run to run comes
 * in as an argument; this file holds the machine's own, for whatever puts a program together.
 */

import { type Clock, systemClock } from './clock.ts';
import { type Random, systemRandom } from './random.ts';
import { systemTimers, type Timers } from './timers.ts';

/** All that differs from one run to the next but for what others do. */
export interface System {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

/** The machine's own: for whatever puts a program together, which hands it on. */
export const system: System = {
  clock: systemClock,
  timers: systemTimers,
  random: systemRandom,
};
