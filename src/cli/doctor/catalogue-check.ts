import { agoText } from '../../../ask/end.ts';
import { StoreConfigError, StoreError } from '../../core/store/store.ts';
import { idsOf, readReport } from '../../operations/catalogue/reported.ts';
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
  const own = [...config.catalogue.projects, ...config.catalogue.testProjects];
  const found = await Promise.all(
    wanted.map(async ({ source, id }) => {
      const report = await readReport(store, id);
      const known = report?.source === source ? report : undefined;
      const ageMs = known === undefined ? undefined : now - known.at;
      const name = known === undefined ? id : `${known.is.place.name} (${id})`;
      const age = ageMs === undefined ? 'never reported' : `reported ${agoText(ageMs)}`;
      const isListed = own.some((each) => each.id === id);
      const used = isListed ? ', but gatepost.yaml takes precedence' : '';
      const isLate = ageMs === undefined || ageMs > OLD_MS;
      return { said: `${name}: ${age} by ${source}${used}`, source, isLate };
    }),
  );
  const late = found.filter(({ isLate }) => isLate);
  const shown = late.length > 0 ? late : found;
  const more = shown.length - NAMED_MAX;
  const said = shown.slice(0, NAMED_MAX).map((each) => each.said);
  const detail = [...said, ...(more > 0 ? [`${more} more`] : [])].join('; ');
  if (late.length === 0) return fine(detail);
  const who = [...new Set(late.map(({ source }) => source))].join(', ');
  return advice(detail, `Have the automation of ${who} post to /v1/catalogue every day.`);
}
