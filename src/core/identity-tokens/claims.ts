/** Whether a text has the form of a signed token: three parts in base64url. */
export function isTokenLike(text: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/** The claims of an identity token, once its signature is known to be right. */
export type Claims = Readonly<Record<string, unknown>>;

/** What a source demands: each of these claims has one of the values. */
export type ClaimRules = Readonly<Record<string, readonly string[]>>;

/**
 * A claim's value as text. `kubernetes.io/namespace` is also the member `namespace` of `kubernetes.io`, unless a claim
 * has this name itself; undefined: there is none, or it is not one value.
 */
export function claimText(claims: Claims, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : memberAt(claims, name);
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function memberAt(claims: Claims, name: string): unknown {
  let value: unknown = claims;
  for (const step of name.split('/')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** The names of the claims that are not as demanded; none: all are. */
export function unmetClaims(claims: Claims, rules: ClaimRules): readonly string[] {
  return Object.entries(rules).flatMap(([name, patterns]) => {
    const value = claimText(claims, name);
    const isMet = value !== undefined && patterns.some((pattern) => matches(value, pattern));
    return isMet ? [] : [name];
  });
}

/** Whether a value in the configuration is well formed: a `*` stands only at its end, after something and `/` or `:`. */
export function isPattern(value: string): boolean {
  const star = value.indexOf('*');
  return star === -1 || (star === value.length - 1 && /[^/:][/:]\*$/.test(value));
}

function matches(value: string, pattern: string): boolean {
  const start = startOf(pattern);
  return start === undefined
    ? value === pattern
    : value.startsWith(start) && value.length > start.length;
}

function startOf(pattern: string): string | undefined {
  return pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
}

/** Whether one token could have the claims that both demand. */
export function canBothMatch(one: ClaimRules, other: ClaimRules): boolean {
  return Object.entries(one).every(([name, patterns]) => {
    const others = Object.hasOwn(other, name) ? other[name] : undefined;
    return (
      others === undefined || patterns.some((each) => others.some((its) => overlap(each, its)))
    );
  });
}

function overlap(one: string, other: string): boolean {
  const [start, otherStart] = [startOf(one), startOf(other)];
  if (start === undefined) return matches(one, other);
  if (otherStart === undefined) return matches(other, one);
  return start.startsWith(otherStart) || otherStart.startsWith(start);
}
