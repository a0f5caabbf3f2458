import type { z } from 'zod';
import type { Source } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
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
  /** Its part of `/openapi.json`; `id`: the parameter. */
  paths?(id: object, details: z.ZodType): Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, z.ZodType>>;

export interface AskedNeeds {
  readonly core: Core;
  readonly source: Source;
  readonly proof: Proof | undefined;
}
