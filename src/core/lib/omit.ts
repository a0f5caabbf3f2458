/** The members that may be absent. */
type Optional<Base> = {
  [Name in keyof Base]-?: object extends Pick<Base, Name> ? Name : never;
}[keyof Base];

/** A copy without members that are optional in `Base`, so that it is still one of its kind. */
export function omit<Base extends object, Value extends Base>(
  value: Value,
  ...names: readonly Optional<Base>[]
): Value {
  const rest: Partial<Value> = { ...value };
  for (const name of names) delete rest[name];
  return rest as Value; // as: without an optional member it is still one of its kind
}
