import type {
  CatalogueProject,
  CatalogueTestProject,
  CatalogueType,
  Config,
  Named,
} from './config.ts';
import { Unfit } from './environment.ts';
import { list, optional, type Place, type Reader, required, section } from './file-reader.ts';
import { text } from './file-values.ts';

/** Names that an administrator gives to ids. */
export function catalogueReader(): Reader<Config['catalogue']> {
  return section({
    projects: distinct(projectReader()),
    testProjects: distinct(testProjectReader()),
  });
}

function projectReader(): Reader<CatalogueProject | null> {
  const form = section({
    id: required(catalogueId),
    name: required(text),
    space: optional(text, null),
    slug: optional(text, null),
    statuses: distinct(namedReader),
    types: distinct(typeReader()),
  });
  return {
    keys: form.keys,
    read(value, place) {
      const { id, name, ...rest } = form.read(value, place);
      return id === null || name === null ? null : { ...rest, id, name };
    },
  };
}

function testProjectReader(): Reader<CatalogueTestProject | null> {
  const form = section({
    id: required((value) => pathName(catalogueId(value))),
    name: required(text),
    space: required((value) => pathName(text(value))),
    suites: distinct(namedReader),
  });
  return {
    keys: form.keys,
    read(value, place) {
      const { id, name, space, suites } = form.read(value, place);
      if (id === null || name === null || space === null) return null;
      return { id, name, space, suites };
    },
  };
}

function typeReader(): Reader<CatalogueType | null> {
  const form = section({
    id: required(catalogueId),
    name: required(text),
    statuses: distinct(namedReader),
  });
  return {
    keys: form.keys,
    read(value, place) {
      const { id, name, statuses } = form.read(value, place);
      return id === null || name === null ? null : { id, name, statuses };
    },
  };
}

const namedForm = section({ id: required(catalogueId), name: required(text) });
const namedReader: Reader<Named | null> = {
  keys: namedForm.keys,
  read(value, place) {
    const { id, name } = namedForm.read(value, place);
    return id === null || name === null ? null : { id, name };
  },
};

/** Sent to the letter, and chosen from Slack's lists, whose values have a limit. */
function catalogueId(value: unknown): string {
  const id = text(value);
  if (id.length <= 75) return id;
  throw new Unfit('must be an id of at most 75 characters');
}

/** A segment of a path (Interface 4.2), where these two would lead elsewhere. */
function pathName(name: string): string {
  if (name !== '.' && name !== '..') return name;
  throw new Unfit('must be more than dots');
}

/** A list in which no id comes twice. */
function distinct<Item extends Named>(item: Reader<Item | null>): Reader<Item[]> {
  const all = list(item);
  return {
    keys: all.keys,
    read(value, place) {
      noteTwins(value, place);
      return all.read(value, place);
    },
  };
}

function noteTwins(value: unknown, { path, note }: Place): void {
  if (!Array.isArray(value)) return;
  const ids: unknown[] = value.map((each) => each?.id);
  for (const [index, id] of ids.entries()) {
    const first = ids.indexOf(id);
    if (typeof id === 'string' && first < index) {
      note([...path, index, 'id'], `is the id of ${String(path.at(-1))}[${first}], too`);
    }
  }
}
