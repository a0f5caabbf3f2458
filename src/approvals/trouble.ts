import type { FailureFacts } from '../lib/failure.ts';
import { quoted } from './message/sentences.ts';

/** Why the service does not tell how a gate stands: what people can do differs. */
export type Trouble =
  | { readonly why: 'silent' | 'busy' }
  | { readonly why: 'denied'; readonly status: number }
  /** `detail` is the service's own words. */
  | { readonly why: 'refused'; readonly detail?: string };

/** Without a failure nothing is known but that there was no answer. */
export function troubleOf(failure: FailureFacts | undefined): Trouble {
  const { class: kind, status, detail } = failure ?? {};
  if (status === 401 || status === 403) return { why: 'denied', status };
  if (status === 429) return { why: 'busy' };
  if (kind === 'refused') return { why: 'refused', ...(detail !== undefined && { detail }) };
  return { why: 'silent' };
}

/** Nothing came back, or nothing was even sent. */
export function isUnreached({ class: kind, code }: FailureFacts): boolean {
  return kind === 'not-sent' || code === 'timeout' || code === 'aborted';
}

/** What holds, in a sentence; `silent` says it of a service that did not answer. */
export function troubleText(trouble: Trouble, silent: string): string {
  switch (trouble.why) {
    case 'silent':
      return silent;
    case 'busy':
      return 'The service is too busy to answer.';
    case 'denied':
      return `The service does not let Gatepost in (${trouble.status}).`;
    case 'refused': {
      const words = trouble.detail === undefined ? '.' : `: “${quoted(trouble.detail)}”`;
      return `The service refuses to show this request${words}`;
    }
  }
}

/** For who asked for a look that told nothing. */
export function troubleSentence(trouble: Trouble, goesOn: boolean): string {
  const what = troubleText(trouble, 'The service did not answer just now.');
  const isLasting = trouble.why === 'denied' || trouble.why === 'refused';
  const advice = isLasting ? ' Ask an administrator of Gatepost.' : '';
  const next = goesOn
    ? ' Gatepost goes on asking; press Check now to ask again.'
    : ' Press Check now to ask again.';
  return `${what}${advice}${next}`;
}
