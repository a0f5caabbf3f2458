// Loaded into a bot with `--import`: SIGUSR2 sets its clock an hour forward, and the next one back.
const HOUR_MS = 3_600_000;
const Real = Date;
let shiftMs = 0;

globalThis.Date = class ShiftedDate extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return Real.now() + shiftMs;
  }
};

process.on('SIGUSR2', () => {
  shiftMs = HOUR_MS - shiftMs;
});
