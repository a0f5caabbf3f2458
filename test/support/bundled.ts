/** The folder that `test/build.ts` bundles the built program into. */
export const BUNDLED = 'test-results/program';

/**
 * The built program in one file. It starts in half the time, and is started some two hundred times;
 * that what is shipped starts and ends as it should is told of `dist` itself.
 */
export const PROGRAM = `${BUNDLED}/main.js`;
