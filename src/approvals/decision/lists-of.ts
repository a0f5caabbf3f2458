import { type Approval, isOpen } from '../approval.ts';
import { requesterIds } from '../electorate/requester.ts';
import { isDenied } from '../failure.ts';
import {
  COUNTED_STATES,
  DENIED,
  decidedForList,
  decidedList,
  requesterList,
  routeList,
  stateList,
  suspensionsOf,
} from '../lists.ts';
import { featureLists } from './feature-hooks.ts';
import { statusOf } from './status.ts';

/** The store's lists that an approval is on. */
export function listsOf(approval: Approval): readonly string[] {
  return [
    ...(isOpen(approval) ? openLists(approval) : []),
    ...(approval.outcome === undefined ? [] : decidedLists(approval)),
    ...suspensionsOf(approval),
  ];
}

function decidedLists(approval: Approval): readonly string[] {
  return [decidedList(approval.route), ...requesterIds(approval).map(decidedForList)];
}

function openLists(approval: Approval): readonly string[] {
  const { route, watch } = approval;
  const status = statusOf(approval).toLowerCase();
  const state = COUNTED_STATES.find((each) => each === status);
  return [
    routeList(route),
    ...(state === undefined ? [] : [stateList(state, route)]),
    ...requesterIds(approval).map(requesterList),
    ...(isDenied(watch) ? [DENIED] : []),
    ...featureLists(approval),
  ];
}
