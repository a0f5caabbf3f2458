import type * as z from 'zod';
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
  /** Members of an approval's details, and what they show. */
  readonly details?: Members;
  shown?(approval: Approval, progress: Tally): object | undefined;
  /** For `gatepost ask`: why it was withdrawn, or by whom, to follow that word. */
  withdrawn?(details: object): string | undefined;
  /** The same: whose approvals are missing. */
  missing?(details: object): readonly string[];
  /** How approved work goes on: what is sent about it, and how it went, as the details say. One run alone has it. */
  work?(work: Work): SentWork;
  went?(details: object): Went | undefined;
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

/** `text`: what to say of it; `until`: when it ends, or is heard of again; `claim`: the name of the run that has it. */
export interface Work {
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly text?: string;
  readonly until?: string;
  readonly claim?: string;
}

/** `at`: when that was reported. */
export interface Went extends Pick<Work, 'state'> {
  readonly at: string;
}

/** As the body of a call, with the end of its address, and as what such a call does. */
export interface SentWork {
  readonly name: string;
  readonly body: object;
  readonly take: Take;
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
