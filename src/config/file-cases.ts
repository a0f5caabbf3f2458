import type { Config } from './config.ts';
import { optional, type Place, type Reader, section } from './file-reader.ts';
import { isAnybody, peopleReader } from './file-routes.ts';
import { flag } from './file-values.ts';

export const casesReader: Reader<Config['cases']> = section({
  who: peopleReader,
  announce: optional(flag, true),
});

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
