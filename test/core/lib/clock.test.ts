import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageClock, steadyClock, systemClock } from '../../../src/core/lib/clock.ts';

it('returns wall time since the epoch, and a separate monotonic time', () => {
  const sooner = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(sooner);
  expect(now).toBeLessThanOrEqual(Date.now());
  const before = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
  expect(before).toBeLessThan(systemClock.now());
});

it('counts time during which the machine was suspended, but not changes of the clock', () => {
  let [now, tick] = [1_000_000, 500];
  const { monotonic } = ageClock({ now: () => now, monotonic: () => tick });
  const pass = (wallMs: number, tickMs: number) => {
    now += wallMs;
    tick += tickMs;
    return monotonic();
  };
  expect(monotonic()).toBe(500);
  expect(pass(1_000, 1_000)).toBe(1_500);
  // Clocks are read one after the other, and one of them in whole milliseconds.
  expect(pass(1, 0.2)).toBe(1_500.2);
  expect(pass(3_600_010, 10)).toBeCloseTo(3_601_510.2, 5);
  // Somebody sets the clock back.
  expect(pass(-7_200_000, 5)).toBeCloseTo(3_601_515.2, 5);
  expect(pass(20, 20)).toBeCloseTo(3_601_535.2, 5);
});

describe('a steady clock', () => {
  /** `set`: the clock is set by so many ms while so many pass. */
  function clockAt(now: number) {
    let time = now;
    let tick = 0;
    const clock = steadyClock({ now: () => time, monotonic: () => tick });
    return {
      clock,
      pass(ms: number, setMs = 0) {
        time += ms + setMs;
        tick += ms;
        return clock.now();
      },
    };
  }

  it('follows its clock, even when it is set forward', () => {
    const { clock, pass } = clockAt(1_000_000);
    expect(clock.now()).toBe(1_000_000);
    expect(pass(10)).toBe(1_000_010);
    expect(pass(10, 3_600_000)).toBe(4_600_020);
  });

  it('runs a tenth slower while its clock is behind, until the clock has caught up', () => {
    const { clock, pass } = clockAt(1_000_000);
    clock.now();
    expect(pass(0, -120_000)).toBe(1_000_000);
    expect(pass(100_000)).toBe(1_090_000);
    expect(pass(1_099_000)).toBe(2_079_100);
    expect(pass(1_000)).toBe(2_080_000);
    expect(pass(1_000)).toBe(2_081_000);
  });

  it('does not lose fractions of a millisecond', () => {
    const { clock, pass } = clockAt(1_000_000);
    clock.now();
    pass(0, -60_000);
    for (let times = 0; times < 1_000; times += 1) pass(0.5);
    expect(Math.abs(clock.now() - 1_000_450)).toBeLessThanOrEqual(1);
  });

  it('starts no earlier than the given time', () => {
    const { clock, pass } = clockAt(1_000_000);
    expect(clock.noEarlierThan(1_060_000)).toBe(1_060_000);
    expect(pass(1_000)).toBe(1_060_900);
    expect(clock.noEarlierThan(5)).toBe(1_060_900);
  });

  it('does not run ahead when the process is paused between two readings', () => {
    let time = 1_000_000;
    let pauseMs = 0;
    const reading = () => {
      const read = time;
      time += pauseMs;
      return read;
    };
    const clock = steadyClock({ now: reading, monotonic: reading });
    pauseMs = 50;
    clock.now();
    pauseMs = 0;
    expect(clock.now()).toBe(time);
  });

  it('never goes back', () => {
    const jumps = fc.array(
      fc.record({ ms: fc.nat(5_000), set: fc.integer({ min: -1e6, max: 1e6 }) }),
    );
    fc.assert(
      fc.property(jumps, (all) => {
        const { clock, pass } = clockAt(1e9);
        let before = clock.now();
        for (const { ms, set } of all) {
          const now = pass(ms, set);
          expect(now).toBeGreaterThanOrEqual(before + Math.floor(ms * 0.9) - 1);
          before = now;
        }
      }),
    );
  });
});
