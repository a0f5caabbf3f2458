import type { NamedPeople } from '../../core/config/config.ts';
import { union } from '../../core/config/values.ts';
import type { Absent, Approval, Gone } from '../approval.ts';
import { askedOf, lastRouteOf, type PresentRoute } from './reviewers.ts';
import { needsOf } from './votes.ts';

/** Whom a request's messages may ever mention. */

/** Everybody it asks by name, and all user groups, now or after an escalation. */
export function askedEver(approval: Approval, route: PresentRoute): NamedPeople {
  const last = lastRouteOf(approval, route);
  return union(askedOf(approval, last), ...needsOf(approval, last).map(({ of }) => of));
}

/** Everybody it may mention by name, if nobody were gone: also members and substitutes of absent people. */
export function mentionedEver(
  approval: Approval,
  route: PresentRoute,
  { people = [], groups = {} }: Pick<Absent, 'people' | 'groups'> = approval.absent ?? {},
): readonly string[] {
  const substitutes = people.flatMap(({ substitute }) => substitute ?? []);
  return [...askedEver(approval, route).users, ...Object.values(groups).flat(), ...substitutes];
}

/** Who is not mentioned because they cannot decide; empty: nobody. */
export function unmentioned(approval: Approval, route: PresentRoute): Gone {
  const { gone } = approval.absent ?? {};
  if (gone === undefined) return {};
  const mentioned = mentionedEver(approval, route);
  return Object.fromEntries(Object.entries(gone).filter(([user]) => mentioned.includes(user)));
}
