import type { Source } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { problem } from '../../core/http/problem.ts';
import { jsonReply, type Reply } from '../../core/http/reply.ts';
import type { Route } from '../../core/http/router.ts';
import { readIsoTime } from '../../core/lib/iso-time.ts';
import { reportRoute } from '../../core/report-route.ts';
import {
  type CatalogueRequest,
  type catalogueAnswer,
  catalogueRequest,
  describedIn,
} from './catalogue-request.ts';
import { isOlder, isSame, keepReport, type Report, readReport } from './reported.ts';

/** The route where automations report projects and test projects. */
export function catalogueRoute(core: Core): Route {
  return reportRoute(core, '/v1/catalogue', catalogueRequest, (source, body) =>
    takeReport(core, source, body),
  );
}

async function takeReport(core: Core, source: Source, body: CatalogueRequest): Promise<Reply> {
  const { config, store } = core;
  if (config.service === null) return invalid('', NO_SERVICE);
  if (!source.kinds.includes('catalogue')) return NOT_A_CATALOGUE;
  const is = describedIn(body);
  if (source.projects?.includes(is.place.id) !== true) return NOT_ITS_OWN;
  const now = store.now();
  const readAtMs = (readIsoTime(body.readAt)?.seconds ?? 0) * 1_000;
  if (readAtMs > now + AHEAD_MS) return invalid('/readAt', AHEAD);
  const report: Report = { v: 1, source: source.id, readAt: body.readAt, at: now, is };
  await noteNews(core, report);
  const kept = await keepReport(store, report);
  if (kept === 'kept') await core.refreshCatalogue();
  const listed = is.kind === 'project' ? config.catalogue.projects : config.catalogue.testProjects;
  const used = listed.some(({ id, reported }) => id === is.place.id && reported !== undefined);
  const told: Answer = { id: is.place.id, used };
  return jsonReply(kept === 'kept' ? 202 : 200, told);
}

type Answer = (typeof catalogueAnswer)['_output'];

/** The sender's clock may be this much ahead. */
const AHEAD_MS = 5 * 60_000;

/** What people will read is in the audit log before they do; not what is older than that, or a repetition of it. */
async function noteNews({ store }: Core, report: Report): Promise<void> {
  const { kind, place } = report.is;
  const known = await readReport(store, kind, place.id);
  if (isOlder(report, known) || isSame(report, known)) return;
  await store.writeAudit({
    action: 'catalogue.reported',
    record: null,
    actor: report.source,
    facts: { [kind]: place.id },
  });
}

function invalid(pointer: string, detail: string): Reply {
  return problem({
    status: 422,
    title: 'Invalid request body',
    errors: [{ pointer, detail }],
  });
}

const NO_SERVICE = 'projects belong to a service, and none is configured (SERVICE_URL)';
const AHEAD = "must not be later than now: check the sender's clock";

const NOT_A_CATALOGUE = problem({
  status: 403,
  title: 'Forbidden',
  detail: 'This source cannot describe projects: its kinds do not include catalogue',
});

const NOT_ITS_OWN = problem({
  status: 403,
  title: 'Forbidden',
  detail: 'This source cannot describe this project: its id is not among its projects',
});
