import type * as z from 'zod';
import type { Work } from '../../../ask/contract/approval-body.ts';
import type { FeatureDetails } from '../../../ask/contract/approval-details.ts';
import type { Route, Source } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { JsonBody } from '../../core/http/json-body.ts';
import type { FieldError } from '../../core/http/problem.ts';
import type { Reply } from '../../core/http/reply.ts';
import type { Proof } from '../../core/identity-tokens/proof.ts';
import type { Approval } from '../approval.ts';
import type { RequestRules } from '../electorate/clause.ts';
import type { Tally } from '../electorate/tally.ts';

/** What a feature adds to what a source sends and reads: one shape, in one table (`contract-parts.ts`). */
export interface ContractPart {
  /** Members of a request, and what they add to the record. */
  readonly request?: Members;
  asked?(request: object, needs: AskedNeeds): Partial<Approval> | undefined;
  /** The request with what has to be looked up for its members, or why it is refused. */
  lookedUp?(
    core: Core,
    request: object,
  ): Promise<{ readonly request: object } | { readonly refused: Reply }>;
  /** What they say about who may decide: part of the record too. */
  ruled?(request: object): RequestRules | undefined;
  /** Members that contradict each other. */
  conflict?(request: object): Conflict | undefined;
  /** Rules that the route cannot have. */
  faults?(request: object, route: Route): readonly FieldError[];
  /** If its rules leave too few people. */
  readonly tooFew?: FieldError;
  /** What the same token has to stand for again. */
  content?(approval: Approval): unknown;
  /** What it shows in an approval's details. */
  shown?(approval: Approval, progress: Tally): Partial<FeatureDetails> | undefined;
  /** How approved work goes on. One run alone has it. */
  work?(work: Work): Take;
  /** What a source sends about its approval (POST). */
  readonly route?: PartRoute;
  /** Its part of `/openapi.json`; `id`: the parameter. */
  paths?(id: object, details: z.ZodType): Readonly<Record<string, unknown>>;
}

export interface PartRoute {
  readonly path: `/v1/approvals/:id/${string}`;
  /** What to do, or why the body is refused. */
  read(contentType: string | undefined, body: Buffer): JsonBody<Take>;
}

/** Safe to repeat. */
export type Take = (core: Core, id: string, approval: Approval) => Promise<Taken>;

/** The state after it. */
export type Taken = { readonly approval: Approval } | { readonly refused: Reply };

export interface Conflict {
  readonly path: readonly string[];
  readonly message: string;
}

type Members = Readonly<Record<string, z.ZodType>>;

export interface AskedNeeds {
  readonly core: Core;
  readonly source: Source;
  readonly proof: Proof | undefined;
}
