import { type FailureFacts, RemoteFailure } from '../core/lib/failure.ts';
import { type SecretBox, SecretBoxError } from '../core/lib/secret-box.ts';
import type { SealedText } from './approval.ts';

/** What a step fails of that needs a sealed text which no key opens any more. Nothing was sent. */
const CODE = 'sealed_text_not_opened';

/** What a text is sealed as, and opened as. */
export function contextOf(what: SealedText): string {
  return `approval.${what}`;
}

/** Opens what was sealed, for steps: a text that no key opens fails as a call that is refused. */
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

/** Why the service does not tell how a gate stands: what people can do differs. */
export type Trouble =
  | { readonly why: 'silent' | 'busy' }
  | { readonly why: 'denied' | 'failing'; readonly status: number }
  /** `detail` is the service's own words. */
  | { readonly why: 'refused'; readonly detail?: string };

/** Without a failure nothing is known but that there was no answer. */
export function troubleOf(failure: FailureFacts | undefined): Trouble {
  const { class: kind, status, detail } = failure ?? {};
  if (status === 401 || status === 403) return { why: 'denied', status };
  if (status === 429) return { why: 'busy' };
  if (kind === 'refused') return { why: 'refused', ...(detail !== undefined && { detail }) };
  return status === undefined ? { why: 'silent' } : { why: 'failing', status };
}

/** The service does not authorize Gatepost (401, 403). */
export function isDenied({ failure }: { readonly failure?: FailureFacts }): boolean {
  return troubleOf(failure).why === 'denied';
}

/** A read was not sent, came back with nothing, or with an error of the other side (5xx): it may work soon. */
export function isOutage({ class: kind }: FailureFacts): boolean {
  return kind === 'not-sent' || kind === 'ambiguous';
}
