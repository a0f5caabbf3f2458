import { systemTimers, type Timers } from '../../../src/core/lib/timers.ts';

/** Timeouts that a busy machine does not reach: the test is not about them. */
export const patientTimers: Timers = {
  ...systemTimers,
  after: (ms, callback) => systemTimers.after(20 * ms, callback),
  deadline: (ms) => systemTimers.deadline(20 * ms),
};
