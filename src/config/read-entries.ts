import type { Config, Route } from './config.ts';
import { ConfigFile } from './config-file.ts';
import { DEFAULT, defaultIdentity, defaultRoute, defaultSource } from './default-entries.ts';
import { type Environment, Unfit } from './environment.ts';
import { type FileSettings, settingsReader } from './file-settings.ts';
import { shortness } from './read-secrets.ts';

/** What both the environment and gatepost.yaml have a say in. */
export interface Entries {
  readonly settings: Omit<FileSettings, 'sources' | 'routes'> & Pick<Config, 'sources' | 'routes'>;
  readonly warnings: readonly string[];
}

/**
 * The source and the route of the environment, and whatever the file sets; its entries replace those of
 * the same name. All problems, those of the file too, are noted in `from`.
 */
export function readEntries(from: Environment, readFile: (path: string) => string): Entries {
  const { file, isRead } = openFile(from, readFile);
  const named = namesIn(file.value);
  const source = unlessIn(named.sources, defaultSource(from));
  const route = unlessIn(named.routes, defaultRoute(from));
  const reader = settingsReader({
    lookUp: (name) => from.lookUp(name),
    ownSecrets: source?.secrets ?? [],
    routes: [...named.routes, ...(route ? [route.name] : [])],
    needsSecrets: from.command === 'start',
    identity: defaultIdentity(from),
    hasApiKey: from.value('SERVICE_API_KEY') !== undefined,
  });
  const { sources, routes, ...rest } = reader.read(file.value, { path: [], note: file.note });
  if (isRead) noteMissing(from, named);
  from.problems.push(...file.problems);
  const own = source ? [{ source, variable: 'GATEPOST_INTAKE_SECRET' }] : [];
  const all = [...own, ...sources];
  return {
    settings: {
      ...rest,
      sources: all.map((each) => each.source),
      routes: route ? [route, ...routes] : routes,
    },
    warnings: [
      ...all.flatMap((each) => warning(each.variable, shortness(each.source))),
      ...(route ? warning('GATEPOST_REVIEWERS', emptiness(route)) : []),
      ...routes.flatMap((each) => warning(`routes.${each.name}.reviewers`, emptiness(each))),
    ],
  };
}

/** A file without keys where none is named, or it cannot be read. */
function openFile(
  from: Environment,
  readFile: (path: string) => string,
): { readonly file: ConfigFile; readonly isRead: boolean } {
  const text = from.read('GATEPOST_CONFIG', (path) => textOf(path, readFile), null);
  const file = new ConfigFile(text ?? '');
  return { file, isRead: text !== null && file.isReadable };
}

function textOf(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new Unfit(`must be the path of a file that can be read${code}`);
  }
}

interface Names {
  readonly sources: readonly string[];
  readonly routes: readonly string[];
}

/** Also of entries that are wrong, so that one mistake does not look like several. */
function namesIn(value: unknown): Names {
  const { sources, routes } = membersOf(value);
  const entries = Array.isArray(sources) ? sources : [];
  return {
    sources: entries.map((entry) => String(membersOf(entry).id)),
    routes: Object.keys(membersOf(routes)),
  };
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && !Array.isArray(value) ? { ...value } : {};
}

function unlessIn<Entry>(names: readonly string[], own: Entry | undefined): Entry | undefined {
  return names.includes(DEFAULT) ? undefined : own;
}

/** Without a source nothing comes in, and without a route it goes nowhere. */
function noteMissing(from: Environment, { sources, routes }: Names): void {
  const hasSource = from.value('GATEPOST_INTAKE_SECRET') !== undefined;
  if (!hasSource && sources.length === 0 && from.command === 'start') {
    const message = 'is required: gatepost.yaml has no source';
    from.problems.push({ name: 'GATEPOST_INTAKE_SECRET', message });
  }
  if (from.value('GATEPOST_CHANNEL') !== undefined || routes.includes(DEFAULT)) return;
  const message =
    routes.length === 0
      ? 'is required: gatepost.yaml has no route'
      : 'is required: the source of GATEPOST_INTAKE_SECRET uses the route default';
  const needsDefault = hasSource && !sources.includes(DEFAULT);
  if (routes.length === 0 || needsDefault) {
    from.problems.push({ name: 'GATEPOST_CHANNEL', message });
  }
}

function emptiness({ reviewers: { users, groups, channel } }: Route): string | undefined {
  const isNobody = users.length + groups.length === 0 && !channel;
  return isNobody ? 'is empty: nobody may decide' : undefined;
}

function warning(name: string, words: string | undefined): string[] {
  return words === undefined ? [] : [`${name} ${words}`];
}
