/** The program as it is shipped; `test/build.ts` builds it. */
export const PROGRAM = 'dist/main.js';
