import type { FailureFacts } from '../lib/failure.ts';
import { SecretBoxError } from '../lib/secret-box.ts';

/** What a step fails of that needs a sealed text which no key opens any more. Nothing was sent. */
const CODE = 'sealed_text_not_opened';

/** undefined: another error. */
export function sealedFailure(error: unknown): FailureFacts | undefined {
  return error instanceof SecretBoxError ? { class: 'refused', code: CODE } : undefined;
}

export function isSealed(failure: FailureFacts): boolean {
  return failure.code === CODE;
}
