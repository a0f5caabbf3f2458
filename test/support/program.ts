/** The program as it is published; `test/build.ts` builds it. */
export const PROGRAM = 'dist/main.js';
