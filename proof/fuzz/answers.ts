import type { Exchanged } from '../../src/core/http/exchange.ts';
import type { Chance } from '../simulation/chance.ts';
import { oddText, spoiledBytes, spoiledValue, writtenJson } from './mutate.ts';

const STATUSES = [100, 200, 200, 200, 200, 201, 202, 204, 206, 301, 302, 304, 400, 401, 403, 404];
const MORE_STATUSES = [
  408, 409, 410, 413, 418, 422, 425, 429, 429, 451, 499, 500, 502, 503, 504, 599,
];
const HTML = '<!doctype html><html><body><h1>502 Bad Gateway</h1><p>&lt;proxy&gt;</body></html>';

/** A response of a server that should answer `right`. Sometimes it repeats the request. */
export function spoiledAnswer(
  right: unknown,
  secrets: readonly string[],
  chance: Chance,
): Exchanged {
  if (chance.often(0.03)) {
    const code = chance.pick(['timeout', 'connection_lost', 'aborted', 'bad_response']);
    return { kind: 'failed', sent: chance.often(0.5), code, message: oddText(chance) };
  }
  const status = chance.pick([...STATUSES, ...(chance.often(0.5) ? MORE_STATUSES : [])]) ?? 200;
  const headers: Record<string, string | string[]> = {
    'content-type': chance.pick([
      'application/json',
      'application/scim+json',
      'text/html',
      '',
      'text/plain; charset=utf-16',
    ]),
    ...(chance.often(0.2) && { 'retry-after': retryAfter(chance) }),
    ...(chance.often(0.1) && { location: oddText(chance) }),
    ...(chance.often(0.1) && { 'x-oauth-scopes': chance.pick(['chat:write,commands', '', ',,,']) }),
  };
  if (chance.often(0.02))
    return { kind: 'answered', status, headers, body: null, code: 'connection_lost' };
  let body = Buffer.from(bodyText(right, secrets, chance));
  if (chance.often(0.1)) body = Buffer.from(spoiledBytes(body, chance));
  return { kind: 'answered', status, headers, body, code: 'complete' };
}

function bodyText(right: unknown, secrets: readonly string[], chance: Chance): string {
  const secret = chance.pick(secrets) ?? '';
  switch (chance.whole(0, 11)) {
    case 0:
      return chance.pick([
        HTML,
        HTML.repeat(500),
        '',
        '\u0000',
        'OK',
        'null',
        '[]',
        '{}',
        '"x"',
        '0',
        'true',
      ]);
    case 1:
      return JSON.stringify({ error: { message: `No such thing: ${secret}`, code: secret } });
    case 2:
      return JSON.stringify({
        detail: `${oddText(chance)} ${encodeURIComponent(secret)} ${secret}`,
        scimType: secret,
      });
    case 3:
      return writtenJson(right, chance);
    default:
      return writtenJson(spoiledValue(right, chance), chance);
  }
}

function retryAfter(chance: Chance): string | string[] {
  return chance.pick([
    '1',
    '0',
    '-5',
    '1e9',
    '99999999999999999999',
    'NaN',
    'Wed, 21 Oct 2026 07:28:00 GMT',
    'Wed, 99 Foo 2026',
    '',
    ' 3 ',
    ['1', '2'],
    '0x10',
  ]);
}
