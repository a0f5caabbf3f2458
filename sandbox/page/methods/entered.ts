import { z } from 'zod';

/** What a person entered: words or a number, an id or the value of an option, several of them, or nothing. */
export const entered = z.union([z.string(), z.number(), z.array(z.string()), z.null()]);
