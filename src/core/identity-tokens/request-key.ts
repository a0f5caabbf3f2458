import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Keys to single requests, for callers whose identity token ends before their request does. A key is computed from the
 * request's id and its source, so nothing is stored, and every replica gives the same.
 */

export const REQUEST_KEY = 'gpk_';

/** `keys`: those of `GATEPOST_KEYS`; the first makes a key, each of them opens. */
export function requestKeys(keys: readonly { readonly key: Buffer }[]) {
  const own = keys.map(({ key }) =>
    createHmac('sha256', key).update('gatepost.request-key').digest(),
  );
  return {
    /** For the request with this id; undefined: there are no keys. */
    of(source: string, id: string): string | undefined {
      const [first] = own;
      return first && `${REQUEST_KEY}${macOf(first, source, id).toString('base64url')}`;
    },
    opens(given: string, source: string, id: string): boolean {
      const mac = Buffer.from(given.slice(REQUEST_KEY.length), 'base64url');
      const right = own.filter((key) => {
        const expected = macOf(key, source, id);
        return expected.length === mac.length && timingSafeEqual(expected, mac);
      });
      return right.length > 0;
    },
  };
}

function macOf(key: Buffer, source: string, id: string): Buffer {
  return createHmac('sha256', key).update(`${source}\0${id}`).digest();
}
