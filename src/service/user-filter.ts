import { foldEmail } from '../lib/fold-email.ts';
import type { ServiceUser } from './service-user.ts';

/** One comparison (RFC 7644 3.4.2.2): equal, contains, begins with. */
export interface UserFilter {
  readonly attribute: 'id' | 'userName' | 'externalId' | 'displayName';
  readonly operator: 'eq' | 'co' | 'sw';
  readonly value: string;
}

/** As it is sent, not encoded yet: `userName eq "ana@example.com"`. */
export function filterText({ attribute, operator, value }: UserFilter): string {
  return `${attribute} ${operator} ${JSON.stringify(value)}`;
}

/** The same comparison here: a server may ignore filters. */
export function isMatch(user: ServiceUser, { attribute, operator, value }: UserFilter): boolean {
  const fold = FOLDS[attribute];
  const own = user[attribute];
  if (own === null) return false;
  const is = fold(own);
  const wanted = fold(value);
  switch (operator) {
    case 'eq':
      return is === wanted;
    case 'co':
      return is.includes(wanted);
    case 'sw':
      return is.startsWith(wanted);
  }
}

const exactly = (text: string): string => text;

/** Addresses and names are the same in any case, ids are not (RFC 7643 3.1, 4.1.1). */
const FOLDS: Readonly<Record<UserFilter['attribute'], (text: string) => string>> = {
  id: exactly,
  userName: foldEmail,
  externalId: exactly,
  displayName: foldEmail,
};
