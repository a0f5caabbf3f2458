import { RemoteFailure } from '../lib/failure.ts';

/**
 * A text as one segment of a path. Throws RemoteFailure (`refused`, with the code given) for one that
 * would turn into another path: then nothing is sent.
 */
export function pathSegment(operation: string, text: string, code: string): string {
  const isSegment = text !== '' && text !== '.' && text !== '..' && !/\p{Cs}/u.test(text);
  if (!isSegment) throw new RemoteFailure(operation, { class: 'refused', code });
  return encodeURIComponent(text);
}
