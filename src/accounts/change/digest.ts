import { createHash } from 'node:crypto';
import { cleanLine } from '../../lib/clean-line.ts';

/** Tells whether a text is still the same, as a form shows it; none is the same as an empty one. */
export function digestOf(text: string | null): string {
  return createHash('sha256')
    .update(cleanLine(text ?? ''))
    .digest('base64url')
    .slice(0, 12);
}
