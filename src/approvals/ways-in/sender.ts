import { hash } from 'node:crypto';
import type { Source } from '../../core/config/config.ts';
import type { Caller } from '../../core/identity-tokens/callers.ts';
import type { Proof } from '../../core/identity-tokens/proof.ts';
import type { Approval } from '../approval.ts';

/** Who sends a request to the intake: a source, and beyond a secret what proves it. */
export interface Sender {
  readonly source: Source;
  /** How the source was found without a secret. */
  readonly caller?: Exclude<Caller, { readonly kind: 'refused' }> | undefined;
}

export function proofOf({ caller }: Sender): Proof | undefined {
  return caller?.kind === 'source' ? caller.proof : undefined;
}

/**
 * Whether the request is theirs: sent by this source and, if that has identity tokens, by the same repository. Whoever
 * has the key to a request needs no more.
 */
export function isOwn(approval: Approval, sender: Sender): boolean {
  if (approval.source !== sender.source.id) return false;
  return sender.caller?.kind === 'request-key' || approval.proof?.scope === proofOf(sender)?.scope;
}

/** A name that the sender chose, apart from those of other sources and repositories. */
export function ownNameOf(kind: string, { id }: Source, name: string, proof?: Proof): string {
  return proof === undefined
    ? `${kind}\0${id}\0${name}`
    : `${kind}-of\0${id}\0${JSON.stringify([proof.scope, name])}`;
}

/** 132 bits of a hash: enough to rule out collisions, and short because each approval stores it twice. */
export function hashed(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, 22);
}
