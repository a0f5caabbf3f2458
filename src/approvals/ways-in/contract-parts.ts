import type * as z from 'zod';
import type { Work } from '../../../ask/contract/approval-body.ts';
import type { FeatureDetails } from '../../../ask/contract/approval-details.ts';
import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { FieldError } from '../../core/http/problem.ts';
import type { Reply } from '../../core/http/reply.ts';
import type { Approval } from '../approval.ts';
import { barMembers } from '../electorate/bar-seen.ts';
import type { RequestRules } from '../electorate/clause.ts';
import type { Tally } from '../electorate/tally.ts';
import type { AskedNeeds, Conflict, ContractPart, PartRoute, Take } from './contract-part.ts';
import { narrowingContract } from './narrowing-contract.ts';
import { needContract } from './need-contract.ts';
import { supersedeContract } from './supersede-contract.ts';
import { resultContract } from './take-report.ts';
import { withdrawContract } from './withdraw-contract.ts';

/** What features add to what a source sends and reads, in one table. */

const PARTS: readonly ContractPart[] = [
  needContract,
  narrowingContract,
  resultContract,
  supersedeContract,
  withdrawContract,
];

export const REQUEST_MEMBERS = {
  ...narrowingContract.request,
  ...needContract.request,
  ...supersedeContract.request,
};

/** The request with what has to be looked up for its members, or why it is refused. */
export async function lookedUp<Request extends object>(
  core: Core,
  request: Request,
): Promise<{ readonly request: Request } | { readonly refused: Reply }> {
  let known: object = request;
  for (const part of PARTS) {
    const found = (await part.lookedUp?.(core, known)) ?? { request: known };
    if ('refused' in found) return found;
    known = found.request;
  }
  return { request: known as Request }; // as: each only completes its own members
}

/** What their members of a request add to the record. */
export function askedIn(request: object, needs: AskedNeeds): Partial<Approval> {
  return Object.assign({}, ...PARTS.map((part) => part.asked?.(request, needs)));
}

/** What they say about who may decide. */
export function rulesIn(request: object, parts = PARTS): RequestRules {
  return Object.assign({}, ...parts.map((part) => part.ruled?.(request)));
}

/** Members of a request that contradict each other. */
export function conflictsIn(request: object): readonly Conflict[] {
  return PARTS.flatMap((part) => part.conflict?.(request) ?? []);
}

/** Rules that the route cannot have. */
export function faultsIn(request: object, route: Route): readonly FieldError[] {
  return PARTS.flatMap((part) => part.faults?.(request, route) ?? []);
}

/** Whose rules leave too few people; `areEnough`: with these alone. */
export function tooFewBy(
  request: object,
  areEnough: (rules: RequestRules) => boolean,
): FieldError | undefined {
  const ruling = PARTS.filter((part) => part.ruled?.(request) !== undefined);
  const one = ruling.find((part) =>
    areEnough(
      rulesIn(
        request,
        PARTS.filter((each) => each !== part),
      ),
    ),
  );
  return (one ?? ruling.at(-1))?.tooFew;
}

/** What the same token has to stand for again. */
export function contentIn(approval: Approval): readonly unknown[] {
  return PARTS.flatMap((part) => (part.content === undefined ? [] : [part.content(approval)]));
}

/** Their members of an approval's details. */
export function shownBy(approval: Approval, progress: Tally): FeatureDetails {
  const shown = PARTS.map((part) => part.shown?.(approval, progress));
  return Object.assign({}, ...shown, barMembers(approval));
}

/** What is done about work that was approved. */
export function takesOf(work: Work): readonly Take[] {
  return PARTS.flatMap((part) => part.work?.(work) ?? []);
}

/** What a source sends about its approval. */
export const PART_ROUTES: readonly PartRoute[] = PARTS.flatMap(({ route }) => route ?? []);

/** Their part of `/openapi.json`. */
export function partPaths(id: object, details: z.ZodType): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...PARTS.map((part) => part.paths?.(id, details)));
}
