import process from 'node:process';
import fc from 'fast-check';

// Before each file of tests: what its properties try is drawn from the seed of the run.
fc.configureGlobal({ seed: Number(process.env.TEST_SEED) });
