import { RemoteFailure } from '../../core/lib/failure.ts';
import { reasonsText } from '../../core/slack/text.ts';

/** Why an account call failed. The first seven are also the client's outcomes. */
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
  | 'redirected'
  | 'unclear'
  | 'unreadable'
  | 'not-shown';

interface Trouble {
  readonly code: TroubleCode;
  /** The service's own words: short, without secrets, not escaped; null: none. */
  readonly detail: string | null;
}

/** The meaning of a failed account call. Rethrows anything but a RemoteFailure. */
export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof RemoteFailure)) throw error;
  return { code: codeOf(error), detail: error.detail ?? null };
}

const BY_STATUS: Readonly<Record<number, TroubleCode>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'absent',
  410: 'absent',
  422: 'invalid',
  429: 'busy',
};

function codeOf({ class: known, status = 0 }: RemoteFailure): TroubleCode {
  if (known === 'not-sent') return 'not-reached';
  if (known === 'ambiguous') return 'unclear';
  if (known === 'unreadable') return 'unreadable';
  return BY_STATUS[status] ?? (status >= 300 && status < 400 ? 'redirected' : 'refused');
}

/** The problem, and what to do; the caller has to say whether anything was changed. */
const SENTENCES = {
  unauthorized: 'The service did not accept the token for its accounts (401). Check SCIM_TOKEN.',
  forbidden:
    'The service refused access to its accounts (403). SCIM is in closed beta, needs an enterprise licence and has to be switched on in the service; the token needs the right to use it.',
  absent:
    'There are no accounts (SCIM) at this address (404 or 410). Check SERVICE_URL, and whether SCIM is switched on in the service.',
  gone: 'The service does not have this account now.',
  taken:
    'The service refused this as a duplicate. Another account may have this address, or this external id.',
  conflict:
    'The service refused this because of a conflict (409). Something may have changed in the meantime, or another account may have this external id. Check the account.',
  invalid: 'The service did not accept what was sent.',
  busy: 'The service is too busy (429). Try again in a minute.',
  'not-reached': 'The service could not be reached. Check SERVICE_URL, or try again in a minute.',
  refused: 'The service refused this.',
  redirected: 'The service answered with a redirect. Check SERVICE_URL.',
  unclear: 'The service gave no clear answer. Try again in a minute.',
  unreadable: "The service's answer could not be read. Check SERVICE_URL.",
  'not-shown':
    'The service does not show this account now, but it may have more than it shows. Check it in the service.',
} as const satisfies Record<TroubleCode, string>;

/** How a medium quotes other people's text. */
export type Quote = (text: string) => string;

/** The sentence, followed by the service's own words. */
export function troubleSentence({ code, detail }: Trouble, quote: Quote = (text) => text): string {
  const said = detail === null ? '' : serviceWords(detail, quote);
  return SENTENCES[code] + (said === '' ? '' : ` ${said}`);
}

/** A quotation, or a list of several reasons. */
export function serviceWords(detail: string, quote: Quote = (text) => text): string {
  return reasonsText('The service says', detail, quote);
}

/** Parts of SCIM that a server does not support, and the consequence for a list. */
export const IGNORES_FILTER =
  'The service ignores the filter, so all accounts were read and matched here.';
export const IGNORES_PAGING =
  'The service ignores paging, so it may have accounts that it does not show.';
export const NOT_FOUND = 'No account has this userName or id.';
export const NOT_FOUND_PARTIAL =
  'None of the accounts that the service shows has this userName or id; it may have more.';
export const SEVERAL_FOUND = 'Several accounts have this address. Use the id of the one you mean.';
