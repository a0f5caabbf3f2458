type Jose = typeof import('jose');

let loaded: Promise<Jose> | undefined;

/** Loaded with the first token: most processes need none of it. */
export function jose(): Promise<Jose> {
  loaded ??= import('jose');
  return loaded;
}
