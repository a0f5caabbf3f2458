type Present<Names> = {
  readonly [Name in keyof Names as undefined extends Names[Name] ? never : Name]: Names[Name];
} & {
  readonly [Name in keyof Names as undefined extends Names[Name] ? Name : never]?: Exclude<
    Names[Name],
    undefined
  >;
};

/** Without members that are undefined: for optional ones, and so that the rest can override defaults. */
export function present<Names extends object>(names: Names): Present<Names> {
  const given = Object.entries(names).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Present<Names>; // as: only optional members are missing
}
