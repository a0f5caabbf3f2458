/** The attributes of an account that can be changed (Interface 2.5, 4.5). */
export interface UserAttributes {
  readonly active: boolean;
  readonly displayName: string;
  readonly formattedName: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly title: string;
  /** The identity provider's id of the person. */
  readonly externalId: string;
  readonly department: string;
}

export const CORE_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** Their places in SCIM (RFC 7643 4.1, 4.3): a member, or a member of a member. */
const PLACES = {
  active: ['active'],
  displayName: ['displayName'],
  formattedName: ['name', 'formatted'],
  givenName: ['name', 'givenName'],
  familyName: ['name', 'familyName'],
  title: ['title'],
  externalId: ['externalId'],
  department: [ENTERPRISE_SCHEMA, 'department'],
} as const satisfies Record<keyof UserAttributes, readonly string[]>;

/** A JSON Pointer into an account. */
export function pointerTo(attribute: keyof UserAttributes): string {
  return `/${PLACES[attribute].join('/')}`;
}

/** The attribute as `path` of a PATCH (RFC 7644 3.5.2, 3.10): `name.givenName`. */
export function scimPath(attribute: keyof UserAttributes): string {
  const [first, second] = PLACES[attribute];
  if (second === undefined) return first;
  return first === ENTERPRISE_SCHEMA ? `${first}:${second}` : `${first}.${second}`;
}

/** The given attributes in their places: `{ "name": { "givenName": … } }`. */
export function scimMembers(attributes: Partial<UserAttributes>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  // as: PLACES has exactly these names
  for (const attribute of Object.keys(PLACES) as (keyof UserAttributes)[]) {
    const value = attributes[attribute];
    const [first, second] = PLACES[attribute];
    if (value === undefined) continue;
    members[first] = second === undefined ? value : { ...Object(members[first]), [second]: value };
  }
  return members;
}
