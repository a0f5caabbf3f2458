import type { Failed } from '../../core/engine/call-result.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import type { AccountDenial } from '../../core/people/identity.ts';
import type { Action, Ballot, KnownBy, Voter } from '../approval.ts';
import type { Asking } from './asking.ts';
import type { Refusals } from './clause.ts';
import type { OwnRequestRefusal } from './own-request.ts';

/** Whether somebody may cast a ballot, as `eligible.ts` finds out. */

/** Why a ballot is refused. */
export type RefusalCode = keyof Refusals | AccountDenial | OwnRequestRefusal;

/** Somebody wants to decide; `ballots`: those that count. */
export interface Press {
  readonly ballots: readonly Ballot[];
  readonly user: string;
  readonly asking: Asking;
  readonly action: Action;
}

/** Whether somebody may decide. `failed`: not known. */
export type Authorization = Accepted | NotAllowed | Unchecked;

export interface Accepted extends Groups, KnownBy {
  readonly kind: 'accepted';
  /** Groups, or `channel`, that make them a reviewer or fill a need; absent: they are named. */
  readonly through?: readonly string[];
  /** Whom they decide for; `through` is then that person's. */
  readonly for?: Voter;
  /** They are the requester. */
  readonly self?: true;
  /** Groups of needs whose members Slack did not return, and why. */
  readonly unread?: { readonly groups: readonly string[]; readonly failure: FailureFacts };
  readonly reason?: string;
}

export interface NotAllowed extends Groups {
  readonly kind: 'not-allowed';
  readonly code: RefusalCode;
}

/** `of`: whose failure it is; absent: Slack's. store: its part that holds identity links. */
export interface Unchecked extends Failed {
  readonly of?: 'service' | 'store';
}

interface Groups {
  /** Groups in the rules that could not be read. */
  readonly missingGroups?: readonly string[];
  /** Because the workspace's plan has no user groups. */
  readonly noGroupsInPlan?: true;
}

export type Known = 'yes' | 'no' | 'unknown';

/** The identity that a ballot stores. */
export function knownBy({ serviceUser, account, alsoKnownAs }: KnownBy): KnownBy {
  return {
    ...(serviceUser !== undefined && { serviceUser }),
    ...(account !== undefined && { account }),
    ...(alsoKnownAs !== undefined && { alsoKnownAs }),
  };
}

export function notAllowed(code: RefusalCode): NotAllowed {
  return { kind: 'not-allowed', code };
}
