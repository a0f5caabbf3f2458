import { APPROVAL_KIND, isOwnGate } from '../../approvals/approval.ts';
import { isRequesterKnown } from '../../approvals/electorate/requester.ts';
import { decidedList, routeList } from '../../approvals/lists.ts';
import { decodeApproval } from '../../approvals/stored-approval.ts';
import { StoreConfigError, StoreError } from '../../core/store/store.ts';
import { advice, type CheckNeeds, type Found, fine } from './found.ts';
import { SOURCE } from './route-check.ts';

/** How many requests of each route are read. */
const READ_MAX = 25;
/** So many of a source's last requests tell what it sends. */
const LAST = 5;

/** Whether sources of own gates say who asked, where nobody may decide their own request. */
export async function checkRequesters({ config, store: open }: CheckNeeds): Promise<Found> {
  const routes = config.routes.filter(
    ({ requester, selfApproval }) => requester === 'any' && selfApproval !== true,
  );
  if (routes.length === 0) return fine('every route demands a known requester, or need not know');
  const store = await open().catch((error: unknown) => {
    if (error instanceof StoreError || error instanceof StoreConfigError) return null;
    throw error;
  });
  if (store === null) return fine('there are no requests yet');
  const piece = { limit: READ_MAX, newestFirst: true };
  const found = await Promise.all(
    routes.map(({ name }) => store.list([routeList(name), decidedList(name)], piece)),
  );
  const asked = found
    .flatMap(({ entries }) => entries)
    .filter(({ record }) => record.kind === APPROVAL_KIND)
    .map(({ record }) => decodeApproval(record))
    .filter((each) => isOwnGate(each) && each.source !== SOURCE);
  const silent = [...new Set(asked.map(({ source }) => source))].flatMap((source) => {
    const last = asked.filter((each) => each.source === source).slice(0, LAST);
    const unknown = last.filter((each) => !isRequesterKnown(each)).length;
    return unknown === 0 ? [] : [`${source} (${unknown} of the last ${last.length})`];
  });
  if (silent.length === 0) return fine('the last requests name known requesters');
  return advice(
    `it is not known who asked in requests of ${silent.join(', ')}: reviewers could approve their own`,
    'Have the pipeline send requestedBy, link its logins in identity.logins, then set requester: known on the route.',
  );
}
