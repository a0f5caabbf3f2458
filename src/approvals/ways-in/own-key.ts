import { problem } from '../../core/http/problem.ts';
import type { Reply } from '../../core/http/reply.ts';
import { ownName } from './contract-values.ts';

/** A query names one request, by the key it was asked with. */

type OwnKey =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly reply: Reply };

const NO_KEY = problem({
  status: 422,
  title: 'Invalid query',
  detail: 'key must be there once: 1 to 200 characters, encoded for a URL',
});

/** `url`: its path and query. What no request can have as its key is refused. */
export function ownKeyIn(url: string): OwnKey {
  const given = new URL(url, 'http://gatepost').searchParams.getAll('key');
  const { data: value } = ownName().safeParse(given[0]);
  return value === undefined || given.length > 1
    ? { ok: false, reply: NO_KEY }
    : { ok: true, value };
}
