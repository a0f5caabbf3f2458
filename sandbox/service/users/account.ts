/** An account (Interface 2.5). */
export interface ServiceUser {
  /** UUID. */
  readonly id: string;
  /** The e-mail address. */
  readonly userName: string;
  readonly externalId: string | null;
  readonly active: boolean;
  /** The full name; `name.formatted` is the same. */
  readonly displayName: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly title: string | null;
  readonly department: string | null;
  /** `local`: created by hand, by LDAP or otherwise, and not matched by SCIM since. */
  readonly origin: 'scim' | 'local';
}

/** The attributes that SCIM can set (Interface 4.5, PATCH rule 2). */
export interface UserChanges {
  readonly active?: boolean;
  readonly displayName?: string;
  readonly formatted?: string;
  readonly givenName?: string;
  readonly familyName?: string;
  readonly title?: string;
  readonly externalId?: string;
  readonly department?: string;
}

/** An account as people create it in the service: active, named by the part before the @. */
export function newAccount(id: string, userName: string): ServiceUser {
  return {
    id,
    userName,
    externalId: null,
    active: true,
    displayName: userName.split('@')[0] || userName,
    givenName: null,
    familyName: null,
    title: null,
    department: null,
    origin: 'local',
  };
}

/** First and last name are combined into the display name, unless that is set itself. */
export function changed(user: ServiceUser, changes: UserChanges): ServiceUser {
  const { formatted, ...others } = changes;
  const after = { ...user, ...others };
  const combined = [after.givenName, after.familyName].filter(Boolean).join(' ');
  const isRenamed = changes.givenName !== undefined || changes.familyName !== undefined;
  const named = isRenamed && combined !== '' ? combined : user.displayName;
  return { ...after, displayName: changes.displayName ?? formatted ?? named };
}

export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
