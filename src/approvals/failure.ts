import { type FailureFacts, RemoteFailure } from '../core/lib/failure.ts';
import { type SecretBox, SecretBoxError } from '../core/lib/secret-box.ts';
import type { SealedText } from './approval.ts';

/** The failure of a step that needs a sealed text which no key opens any more. Nothing was sent. */
const CODE = 'sealed_text_not_opened';

/** The context a text is sealed and opened with. */
export function contextOf(what: SealedText): string {
  return `approval.${what}`;
}

/** Opens a sealed text for a step; one that no key opens fails like a refused call. */
export function openIn(box: SecretBox, sealed: string, what: SealedText): string {
  try {
    return box.open(sealed, contextOf(what));
  } catch (cause) {
    if (!(cause instanceof SecretBoxError)) throw cause;
    throw new RemoteFailure('open', { class: 'refused', code: CODE }, { cause });
  }
}

export function isSealed(failure: FailureFacts): boolean {
  return failure.code === CODE;
}

/** Why the service does not report the state of a gate; each needs different action. */
export type Trouble =
  | { readonly why: 'silent' | 'busy' }
  | { readonly why: 'denied' | 'failing'; readonly status: number }
  /** `detail`: the service's own words. */
  | { readonly why: 'refused'; readonly detail?: string };

/** Without a failure, all that is known is that there was no answer. */
export function troubleOf(failure: FailureFacts | undefined): Trouble {
  const { class: kind, status, detail } = failure ?? {};
  if (status === 401 || status === 403) return { why: 'denied', status };
  if (status === 429) return { why: 'busy' };
  if (kind === 'refused') return { why: 'refused', ...(detail !== undefined && { detail }) };
  return status === undefined ? { why: 'silent' } : { why: 'failing', status };
}

/** The service refuses Gatepost's credentials (401, 403). */
export function isDenied({ failure }: { readonly failure?: FailureFacts }): boolean {
  return troubleOf(failure).why === 'denied';
}

/** A read that was not sent, was not answered, or failed on the other side (5xx): it may soon work. */
export function isOutage({ class: kind }: FailureFacts): boolean {
  return kind === 'not-sent' || kind === 'ambiguous';
}
