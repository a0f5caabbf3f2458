import type { Config } from './config.ts';
import { Unfit } from './environment.ts';
import { optional, type Reader, required, section } from './file-reader.ts';
import { oneOf, pathPrefix, text } from './file-values.ts';

type Dialect = Config['dialect'];

export interface DialectNeeds {
  readonly hasApiKey: boolean;
}

/** Names that the service's interface does not show. */
export function dialectReader(needs: DialectNeeds): Reader<Dialect> {
  const form = section({ approval: approvalReader(needs), task: taskReader(needs) });
  return {
    keys: form.keys,
    read(value, place) {
      const { approval, task } = form.read(value, place);
      return { approval, ...(task !== undefined && { task }) };
    },
  };
}

function approvalReader({ hasApiKey }: DialectNeeds): Reader<Dialect['approval']> {
  const auth = oneOf('none', 'bearer');
  const form = section({
    status: optional(text, undefined),
    prompt: optional(text, undefined),
    resolvedAt: optional(text, undefined),
    auth: optional((value) => {
      const word = auth(value);
      if (word === 'bearer') needApiKey(hasApiKey);
      return word;
    }, 'none'),
  });
  return {
    keys: form.keys,
    read(value, place) {
      const { auth, ...names } = form.read(value, place);
      return { auth, ...present(names) };
    },
  };
}

/** undefined where the file says nothing of it. */
function taskReader({ hasApiKey }: DialectNeeds): Reader<Dialect['task']> {
  const form = section({
    path: required((value) => {
      const path = pathPrefix(value);
      needApiKey(hasApiKey);
      return path;
    }),
    item: optional(text, undefined),
    id: optional(text, undefined),
    key: optional(text, undefined),
    title: optional(text, undefined),
    updatedAt: optional(text, undefined),
    status: optional(text, undefined),
    projectId: optional(text, undefined),
    subItems: optional(text, undefined),
  });
  return {
    keys: form.keys,
    read(value, place) {
      if (value === undefined || value === null) return undefined;
      const { path, ...names } = form.read(value, place);
      return { path: path ?? '', ...present(names) };
    },
  };
}

function needApiKey(hasApiKey: boolean): void {
  if (!hasApiKey) throw new Unfit('needs SERVICE_API_KEY to be set');
}

type Present<Names> = { [Name in keyof Names]?: NonNullable<Names[Name]> };

/** The names that were given. */
function present<Names extends Readonly<Record<string, string | undefined>>>(
  names: Names,
): Present<Names> {
  const given = Object.entries(names).filter(([, name]) => name !== undefined);
  return Object.fromEntries(given) as Present<Names>; // as: what is left has a text
}
