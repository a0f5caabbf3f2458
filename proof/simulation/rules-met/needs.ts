import { acceptedBallots } from '../absent.ts';
import { type Case, effectBy } from '../case.ts';
import type { AuditSeen, NeedSeen } from '../evidence.ts';
import { canFillAll } from '../places.ts';
import {
  adds,
  BALLOT,
  firstPostedAt,
  hasFailed,
  logged,
  type RuleMet,
  row,
  SOON_MS,
  told,
} from './row.ts';

/** How many have to approve, and for which places. */
export const NEED_ROWS: readonly RuleMet[] = [
  row('quorum', 'raised by the request', (seen) =>
    adds(seen, 'quorum') ? logged(seen, BALLOT, ({ facts }) => facts.refused === undefined) : 0,
  ),
  row('quorum', 'one person with two accounts', (seen) => told(seen, /^You already approved /)),
  row('quorum', 'two accounts, and one person', (seen) =>
    seen.approval.quorum === 2 && (seen.approval.needs ?? []).length === 0
      ? told(seen, / as <@\w+>\. A person counts once/)
      : 0,
  ),
  row('quorum', 'counted again before it is sent', (seen) =>
    (seen.approval.holdMs ?? 0) === 0 && hasFailed(seen)
      ? told(seen, /no longer counts?: they can no longer decide this request\.$/)
      : 0,
  ),

  row('needs', 'people of several groups', (seen) =>
    (seen.approval.needs ?? []).length > 1 ? approved(seen) : 0,
  ),
  row('needs', 'added by the request', (seen) => (adds(seen, 'need') ? approved(seen) : 0)),
  row('needs', 'more than one of a need', (seen) =>
    (seen.approval.needs ?? []).some(({ count }) => count > 1) ? approved(seen) : 0,
  ),
  row('needs', 'enough people, and a place is open', (seen) => (hasOpenPlace(seen) ? 1 : 0)),
  row('needs', 'more approved than are needed', hasMore),
  row('needs', 'somebody changes places', (seen) => (isReseated(seen) ? approved(seen) : 0)),
  row('needs', 'of a group that Slack does not show', (seen) => (isHidden(seen) ? 1 : 0)),
  row('needs', 'filled by somebody it was escalated to', filledLater),
];

function approved(seen: Case): number {
  return effectBy(seen, Number.POSITIVE_INFINITY).filter(
    ({ status, how }) => status === 'APPROVED' && how === 'interface',
  ).length;
}

/** Those who approved, as far as a need names people; null: one names groups. */
function castFor(seen: Case): readonly string[] | null {
  const { needs = [] } = seen.approval;
  if (needs.length < 2 || needs.some(({ of }) => of.groups.length > 0)) return null;
  const cast = acceptedBallots(seen).filter(({ facts }) => facts.action === 'approve');
  return [...new Set(cast.map(({ actor }) => actor))];
}

const isNamedBy = (person: string, { of }: NeedSeen) => of.users.includes(person);

function hasOpenPlace(seen: Case): boolean {
  const { needs = [], quorum } = seen.approval;
  const cast = castFor(seen);
  return cast !== null && cast.length >= quorum && !canFillAll(needs, cast, isNamedBy);
}

/** How often fewer are named for an approval than had approved. */
function hasMore(seen: Case): number {
  const cast = castFor(seen) ?? [];
  return logged(
    seen,
    'approvals.outcome',
    ({ actor, facts }) =>
      facts.status === 'APPROVED' &&
      facts.credit === 'certain' &&
      actor.split(',').length < cast.length,
  );
}

/** All places are filled, and would not be if everybody kept the first one that was free. */
function isReseated(seen: Case): boolean {
  const { needs = [] } = seen.approval;
  const cast = castFor(seen);
  if (cast === null || !canFillAll(needs, cast, isNamedBy)) return false;
  const free = needs.map(({ count }) => count);
  for (const person of cast) {
    const place = needs.findIndex((each, at) => isNamedBy(person, each) && free[at] !== 0);
    if (place >= 0) free[place] = (free[place] ?? 0) - 1;
  }
  return free.some((count) => count > 0);
}

/** Once its message was there, and nobody had pressed: when it is counted who can approve it. */
function isHidden(seen: Case): boolean {
  const { approval, presses, run } = seen;
  const { needs = [] } = approval;
  const postedAt = firstPostedAt(seen);
  const groups = needs.flatMap(({ of }) => of.groups);
  return (
    presses.length === 0 &&
    run.hidden?.some(({ group, at }) => groups.includes(group) && at >= (postedAt ?? at + 1)) ===
      true
  );
}

/** Only somebody to whom it was escalated approved it, soon after they pressed first, and no need names them. */
function filledLater(seen: Case): number {
  const { asked = [], escalates = [], needs = [] } = seen.approval;
  const cast = acceptedBallots(seen).filter(({ facts }) => facts.action === 'approve');
  const isLater = (person: string) =>
    !asked.includes(person) &&
    escalates.some(({ users }) => users.includes(person)) &&
    needs.every(({ of }) => !of.users.includes(person));
  const isSoon = ({ actor, at = 0 }: AuditSeen) =>
    at - (seen.presses.find(({ person }) => person === actor)?.at ?? 0) < SOON_MS;
  const isSo = cast.every((each) => isLater(each.actor) && isSoon(each));
  return needs.length > 0 && cast.length > 0 && isSo ? 1 : 0;
}
