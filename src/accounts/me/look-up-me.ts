import { RemoteFailure } from '../../lib/failure.ts';
import type { Directory, Search } from '../../people/directory.ts';
import type { Identity } from '../../people/identity.ts';
import { NO_SUCH_PERSON, type SlackPerson } from '../../people/membership.ts';
import { notRead } from '../../people/not-read.ts';
import { STEP_MS } from '../../reconcile/flow.ts';
import type { PeopleLookup } from '../../slack/lookup.ts';

export interface LookUpNeeds {
  readonly lookup: Pick<PeopleLookup, 'person'>;
  readonly directory: Pick<Directory, 'recentSearch'>;
}

/** How it stands with a person's account. */
export type MyState =
  | Exclude<Identity['kind'], 'none'>
  | 'no-account'
  | 'no-address'
  | 'address-not-confirmed'
  /** Slack does not show the person to Gatepost. */
  | 'hidden'
  | 'slack-silent'
  | 'service-silent';

/** What a person may know of how Gatepost sees them. */
export interface Mine {
  readonly user: string;
  readonly state: MyState;
  /** As their profile shows it, confirmed or not; null: Gatepost does not see one. */
  readonly email: string | null;
  /** null: nothing could be looked for. */
  readonly search: Search | null;
}

/** Throws ReadError when the store is away. */
export async function lookUpMe(needs: LookUpNeeds, user: string): Promise<Mine> {
  const signal = AbortSignal.timeout(STEP_MS);
  const nothing = { user, email: null, search: null };
  const person = await orFailure(needs.lookup.person(user, { signal }));
  if (person instanceof RemoteFailure) {
    return { ...nothing, state: NO_SUCH_PERSON.has(person.code) ? 'hidden' : 'slack-silent' };
  }
  const { email } = person;
  const limits = { signal, deadlineMs: STEP_MS };
  const search = await orFailure(needs.directory.recentSearch(person, limits));
  if (search instanceof RemoteFailure) return { ...nothing, email, state: 'service-silent' };
  return { user, email, search, state: stateOf(person, search) };
}

function stateOf(person: SlackPerson, { identity, address }: Search): MyState {
  if (identity.kind !== 'none') return identity.kind;
  if (address !== null) return 'no-account';
  return person.email === null || person.isEmailConfirmed === null
    ? 'no-address'
    : 'address-not-confirmed';
}

async function orFailure<Value>(answer: Promise<Value>): Promise<Value | RemoteFailure> {
  try {
    return await answer;
  } catch (error) {
    return error instanceof RemoteFailure ? error : notRead(error);
  }
}
