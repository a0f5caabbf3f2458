/**
 * Projects and test projects that automations report (`catalogue-route.ts`), beside those in gatepost.yaml. Each
 * process keeps the reports of all sources in its settings (`live-catalogue.ts`), where features find them by name.
 */

import type {
  CatalogueProject,
  CatalogueTestProject,
  Config,
  Source,
} from '../../core/config/config.ts';
import { compareIsoTimes } from '../../core/lib/iso-time.ts';
import { changeValue } from '../../core/store/change-value.ts';
import type { Store } from '../../core/store/store.ts';

/** A report, as stored. */
export interface Report {
  readonly v: 1;
  readonly source: string;
  /** As the source wrote it. */
  readonly readAt: string;
  /** When it arrived: milliseconds on the store's clock. */
  readonly at: number;
  readonly is: Described;
}

export type Described =
  | { readonly kind: 'project'; readonly place: CatalogueProject }
  | { readonly kind: 'testProject'; readonly place: CatalogueTestProject };

/** A report that is not repeated for so long is dropped. */
const DAYS_KEPT = 90;
const LIFETIME_MS = DAYS_KEPT * 86_400_000;

/**
 * Stores a report unless a newer one of the same source is known: `older`. Atomic, even with simultaneous reports.
 * Throws StoreError.
 */
export function keepReport(store: Store, report: Report): Promise<'kept' | 'older'> {
  const { kind, place } = report.is;
  const kept = { key: keyOf(kind, place.id), lifetimeMs: LIFETIME_MS };
  return changeValue<'kept' | 'older'>(store, kept, (text) => {
    const known = decode(text);
    if (isOlder(report, known)) return { result: 'older' };
    return { after: JSON.stringify(report), result: 'kept' };
  });
}

/** Whether it is older than the known report of the same source. */
export function isOlder({ source, readAt }: Report, known: Report | undefined): boolean {
  return known?.source === source && compareIsoTimes(readAt, known.readAt) < 0;
}

/** Whether it describes the project like the known report of the same source. */
export function isSame({ source, is }: Report, known: Report | undefined): boolean {
  return known?.source === source && JSON.stringify(known.is) === JSON.stringify(is);
}

/** Throws StoreError. */
export async function readReport(
  store: Store,
  kind: Described['kind'],
  id: string,
): Promise<Report | undefined> {
  return decode(await store.get(keyOf(kind, id)));
}

/** The reports about an id that its source made: a project and a test project can have the same. Throws StoreError. */
export async function readReportsOf(
  store: Store,
  { source, id }: Describable,
): Promise<readonly Report[]> {
  const kinds = ['project', 'testProject'] as const;
  const reports = await Promise.all(kinds.map((kind) => readReport(store, kind, id)));
  return reports.filter((report) => report !== undefined).filter((each) => each.source === source);
}

/** The reports of sources that may still make them. Throws StoreError. */
export async function readReports(
  store: Store,
  sources: readonly Source[],
): Promise<readonly Report[]> {
  const read = idsOf(sources).map((each) => readReportsOf(store, each));
  return (await Promise.all(read)).flat();
}

interface Describable {
  readonly source: string;
  readonly id: string;
}

/** What each source may describe. */
export function idsOf(sources: readonly Source[]): readonly Describable[] {
  return sources
    .filter(({ kinds }) => kinds.includes('catalogue'))
    .flatMap(({ id: source, projects = [] }) => projects.map((id) => ({ source, id })));
}

/** The catalogue with what was reported: gatepost.yaml takes precedence. */
export function withReports(
  own: Config['catalogue'],
  reports: readonly Report[],
): Config['catalogue'] {
  const places = reports.map(({ is, source, at }) => ({ ...is, reported: { source, at } }));
  const more = <Place extends { readonly id: string; readonly name: string }>(
    listed: readonly Place[],
    found: readonly Place[],
  ) => {
    const others = found.filter(({ id }) => !listed.some((each) => each.id === id));
    return [...listed, ...others.sort((one, other) => one.name.localeCompare(other.name, 'en'))];
  };
  return {
    projects: more(
      own.projects,
      places.flatMap((each) =>
        each.kind === 'project' ? [{ ...each.place, reported: each.reported }] : [],
      ),
    ),
    testProjects: more(
      own.testProjects,
      places.flatMap((each) =>
        each.kind === 'testProject' ? [{ ...each.place, reported: each.reported }] : [],
      ),
    ),
  };
}

function decode(text: string | undefined): Report | undefined {
  // as: only `keepReport` writes it; other forms have another `v`, and are reported again
  const report = text === undefined ? undefined : (JSON.parse(text) as Report);
  return report?.v === 1 ? report : undefined;
}

function keyOf(kind: Described['kind'], id: string): string {
  return `catalogue.${kind}:${id}`;
}
