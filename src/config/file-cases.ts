import type { Config, IdentityRule } from './config.ts';
import { optional, type Place, type Reader, section } from './file-reader.ts';
import { isAnybody, peopleReader } from './file-routes.ts';
import { flag, oneOf } from './file-values.ts';

/** `identity`: what holds where the file does not say. */
export function casesReader({ identity }: { identity: IdentityRule }): Reader<Config['cases']> {
  return section({
    who: peopleReader,
    identity: optional(oneOf('require', 'omit'), identity),
    announce: optional(flag, true),
  });
}

/** Nobody can create anything with a key that is not there. */
export function checkCases(
  { cases }: Pick<Config, 'cases'>,
  { path, note }: Place,
  { hasApiKey }: { readonly hasApiKey: boolean },
): void {
  if (isAnybody(cases.who) && !hasApiKey) {
    note([...path, 'cases', 'who'], 'needs SERVICE_API_KEY to be set');
  }
}
