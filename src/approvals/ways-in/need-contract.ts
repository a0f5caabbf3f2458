import * as z from 'zod';
import type { Place, Route } from '../../core/config/config.ts';
import { GROUPS_MAX, hasFewGroups, PLACES_MAX } from '../../core/config/places.ts';
import { needName } from '../../core/config/values.ts';
import { redact } from '../../core/lib/redact.ts';
import type { Approval } from '../approval.ts';
import type { Tally } from '../electorate/tally.ts';
import type { ContractPart } from './contract-part.ts';
import { namedPeople, peopleIn } from './contract-values.ts';

/** What a source sends and reads of the needs of a request. */

/** Different people have to approve for these, in addition to the route's. */
const need = z
  .array(
    z.strictObject({
      name: needName,
      of: namedPeople(),
      count: z.int().min(1).max(100).default(1),
    }),
  )
  .min(1)
  .max(PLACES_MAX)
  .refine(hasFewGroups, { message: `must name at most ${GROUPS_MAX} groups` })
  .refine((needs) => new Set(needs.map(({ name }) => name)).size === needs.length, {
    message: 'must not use a name twice',
  })
  .optional();

interface Asking {
  readonly token?: string | undefined;
  readonly need?: z.infer<typeof need>;
}

export const needContract = {
  request: { need },

  conflict({ token, need = [] }: Asking) {
    const isClean = token === undefined || need.every(({ name }) => redact(name, [token]) === name);
    return isClean ? undefined : { path: ['need'], message: 'must not contain the token' };
  },

  ruled: ({ need = [] }: Asking) =>
    need.length === 0
      ? undefined
      : { needs: need.map(({ of, ...rest }): Place => ({ ...rest, of: peopleIn(of) })) },

  faults({ need = [] }: Asking, route: Route) {
    const named = route.need.map(({ name }) => name);
    return need.flatMap(({ name }, at) =>
      named.includes(name)
        ? [{ pointer: `/need/${at}/name`, detail: 'is already the name of a need of this route' }]
        : [],
    );
  },

  tooFew: { pointer: '/need', detail: 'cannot be covered by different reviewers' },

  content: ({ needs }: Approval) => needs?.map(sortedNeed).toSorted(),

  shown: (_: Approval, { needs }: Tally) => ({ needs: [...needs] }),
} satisfies ContractPart;

function sortedNeed({ name, of: { users, groups }, count }: Place): string {
  return JSON.stringify([name, count, users.toSorted(), groups.toSorted()]);
}
