import type { z } from 'zod';
import type { Source } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { JsonBody } from '../../core/http/json-body.ts';
import type { Reply } from '../../core/http/reply.ts';
import type { Proof } from '../../core/identity-tokens/proof.ts';
import type { Approval } from '../approval.ts';

/** What a feature adds to what a source sends and reads: one shape, in one table (`contract-parts.ts`). */
export interface ContractPart {
  /** Members of a request, and what they add to the record. */
  readonly request?: Members;
  asked?(request: object, needs: AskedNeeds): Partial<Approval> | undefined;
  /** Members of an approval's details, and what they show. */
  readonly details?: Members;
  shown?(approval: Approval): object | undefined;
  /** For `gatepost ask`: why it was withdrawn, as the details say. */
  withdrawn?(details: object): string | undefined;
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
type Take = (core: Core, id: string, approval: Approval) => Promise<Taken>;

/** The state after it. */
export type Taken = { readonly approval: Approval } | { readonly refused: Reply };

type Members = Readonly<Record<string, z.ZodType>>;

export interface AskedNeeds {
  readonly core: Core;
  readonly source: Source;
  readonly proof: Proof | undefined;
}
