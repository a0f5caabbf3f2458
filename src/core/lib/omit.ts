/** The optional members. */
type Optional<Base> = {
  [Name in keyof Base]-?: object extends Pick<Base, Name> ? Name : never;
}[keyof Base];

/** A copy without members that are optional in `Base`, so that the type still holds. */
export function omit<Base extends object, Value extends Base>(
  value: Value,
  ...names: readonly Optional<Base>[]
): Value {
  const rest: Partial<Value> = { ...value };
  for (const name of names) delete rest[name];
  return rest as Value; // as: the type holds without optional members
}
