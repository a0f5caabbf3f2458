import type { z } from 'zod';
import type { Approval } from '../approval.ts';
import type { AskedNeeds, ContractPart, PartRoute } from './contract-part.ts';
import { supersedeContract } from './supersede-contract.ts';
import { resultContract } from './take-report.ts';

/** What features add to what a source sends and reads, in one table. */

const PARTS: readonly ContractPart[] = [resultContract, supersedeContract];

export const REQUEST_MEMBERS = {
  ...supersedeContract.request,
};

export const DETAIL_MEMBERS = {
  ...resultContract.details,
  ...supersedeContract.details,
};

/** What their members of a request add to the record. */
export function askedIn(request: object, needs: AskedNeeds): Partial<Approval> {
  return Object.assign({}, ...PARTS.map((part) => part.asked?.(request, needs)));
}

/** Their members of an approval's details. */
export function shownBy(approval: Approval): z.infer<z.ZodObject<typeof DETAIL_MEMBERS>> {
  return Object.assign({}, ...PARTS.map((part) => part.shown?.(approval)));
}

/** Why it was withdrawn; undefined: the details do not say. */
export function whyWithdrawn(details: object): string | undefined {
  return PARTS.map((part) => part.withdrawn?.(details)).find((why) => why !== undefined);
}

/** What a source sends about its approval. */
export const PART_ROUTES: readonly PartRoute[] = PARTS.flatMap(({ route }) => route ?? []);

/** Their part of `/openapi.json`. */
export function partPaths(id: object, details: z.ZodType): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...PARTS.map((part) => part.paths?.(id, details)));
}
