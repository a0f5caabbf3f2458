import process from 'node:process';
import fc from 'fast-check';

// Before each test file: properties use the seed of the run.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
