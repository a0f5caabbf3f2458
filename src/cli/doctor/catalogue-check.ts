import { agoText } from '../../../ask/end.ts';
import { StoreConfigError, StoreError } from '../../core/store/store.ts';
import { idsOf, readReportsOf } from '../../operations/catalogue/reported.ts';
import { advice, type CheckNeeds, type Found, fine } from './found.ts';

/** Projects change rarely, but an automation that reports them daily and has not for a week has probably stopped. */
const OLD_MS = 7 * 86_400_000;
const NAMED_MAX = 10;

/** How old the reports of projects are. */
export async function checkCatalogue({ config, store: open }: CheckNeeds): Promise<Found> {
  const wanted = idsOf(config.sources);
  if (wanted.length === 0) return fine('gatepost.yaml alone describes projects');
  const store = await open().catch((error: unknown) => {
    if (error instanceof StoreError || error instanceof StoreConfigError) return null;
    throw error;
  });
  if (store === null) return fine('nothing was reported yet');
  const now = store.now();
  const { projects, testProjects } = config.catalogue;
  const ageOf = async ({ source, id }: (typeof wanted)[number]) => {
    const reports = await readReportsOf(store, { source, id });
    const said = (what: string, age: string, own: readonly { readonly id: string }[]) => {
      const used = own.some((each) => each.id === id) ? ', but gatepost.yaml takes precedence' : '';
      return `${what}: ${age} by ${source}${used}`;
    };
    if (reports.length === 0) {
      const own = [...projects, ...testProjects];
      return [{ said: said(id, 'never reported', own), source, isLate: true }];
    }
    return reports.map(({ at, is: { kind, place } }) => {
      const own = kind === 'project' ? projects : testProjects;
      const age = `reported ${agoText(now - at)}`;
      return { said: said(`${place.name} (${id})`, age, own), source, isLate: now - at > OLD_MS };
    });
  };
  const found = (await Promise.all(wanted.map(ageOf))).flat();
  const late = found.filter(({ isLate }) => isLate);
  const shown = late.length > 0 ? late : found;
  const more = shown.length - NAMED_MAX;
  const said = shown.slice(0, NAMED_MAX).map((each) => each.said);
  const detail = [...said, ...(more > 0 ? [`${more} more`] : [])].join('; ');
  if (late.length === 0) return fine(detail);
  const who = [...new Set(late.map(({ source }) => source))].join(', ');
  return advice(detail, `Have the automation of ${who} post to /v1/catalogue every day.`);
}
