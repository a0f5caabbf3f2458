import { RemoteFailure } from '../lib/failure.ts';
import { reasonsText } from '../slack/text.ts';

/** Why the service did not do what was asked of its accounts. The first seven are also outcomes of the client. */
export type TroubleCode =
  | 'unauthorized'
  | 'forbidden'
  | 'absent'
  | 'gone'
  | 'taken'
  | 'conflict'
  | 'invalid'
  | 'busy'
  | 'not-reached'
  | 'refused'
  | 'unclear'
  | 'unreadable';

interface Trouble {
  readonly code: TroubleCode;
  /** The service's own words: short, without secrets, not escaped; null: none. */
  readonly detail: string | null;
}

/** What a failed call to the accounts means. Throws again what is no RemoteFailure. */
export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof RemoteFailure)) throw error;
  return { code: codeOf(error), detail: error.detail ?? null };
}

const BY_STATUS: Readonly<Record<number, TroubleCode>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'absent',
  422: 'invalid',
  429: 'busy',
};

function codeOf({ class: known, status = 0 }: RemoteFailure): TroubleCode {
  if (known === 'not-sent') return 'not-reached';
  if (known === 'ambiguous') return 'unclear';
  if (known === 'unreadable') return 'unreadable';
  return BY_STATUS[status] ?? 'refused';
}

/** What is the matter, and what to do; whether anything was changed is for the caller to say. */
const SENTENCES = {
  unauthorized: 'The service does not accept the token for its accounts. Check SCIM_TOKEN.',
  forbidden:
    'The service does not open its accounts (SCIM) to Gatepost. They are in closed beta, need an enterprise licence and have to be switched on in the service; the token needs the right to them.',
  absent:
    'There are no accounts (SCIM) at this address. Check SERVICE_URL, and whether SCIM is switched on in the service.',
  gone: 'The service does not have this account any more.',
  taken:
    'The service refused this as a duplicate. Another account may have this address, or this external id.',
  conflict: 'The service refused this, because something changed meanwhile. Look again.',
  invalid: 'The service does not accept what was sent.',
  busy: 'The service asks to slow down. Try again in a minute.',
  'not-reached': 'The service could not be reached. Check SERVICE_URL, or try again in a minute.',
  refused: 'The service refused this.',
  unclear: 'The service did not give an answer that tells. Try again in a minute.',
  unreadable: 'The answer of the service could not be read. Check SERVICE_URL.',
} as const satisfies Record<TroubleCode, string>;

/** What a medium needs for other people's text. */
export type Quote = (text: string) => string;

/** The sentence, with the service's own words behind it. */
export function troubleSentence({ code, detail }: Trouble, quote: Quote = (text) => text): string {
  const said = detail === null ? '' : serviceWords(detail, quote);
  return SENTENCES[code] + (said === '' ? '' : ` ${said}`);
}

/** A quotation, or a list where there are several reasons. */
export function serviceWords(detail: string, quote: Quote = (text) => text): string {
  return reasonsText('The service says', detail, quote);
}

/** What a server leaves out of SCIM, and what that means for a list. */
export const IGNORES_FILTER =
  'The service ignores the filter: all accounts were read and matched here.';
export const IGNORES_PAGING =
  'The service ignores paging: it may have accounts that it does not show.';
export const NOT_FOUND = 'No account has this userName or id.';
export const NOT_FOUND_PARTIAL =
  'None of the accounts that the service shows has this userName or id; it may have more.';
export const SEVERAL_FOUND =
  'Several accounts have this address. Name the one that is meant by its id.';
