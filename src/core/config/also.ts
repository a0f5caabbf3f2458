import type * as z from 'zod';

/** Rules for what is written beside each other, as part of a schema. */

/** Keys and indexes from the root, or from the value that is checked. */
export type Path = readonly (string | number)[];

/** Adds a problem below the value that is checked. */
export type Note = (path: Path, message: string) => void;

/** A rule for what is written beside each other. Parts that have problems of their own may be of any type. */
export type Check = (value: unknown, note: Note) => void;

/** A schema with a rule that is checked beside other problems too, so that all are told together. */
export function also<Schema extends z.ZodType>(schema: Schema, check: Check): Schema {
  return schema.superRefine(
    (value, context) =>
      check(value, (path, message) =>
        context.addIssue({ code: 'custom', path: [...path], message }),
      ),
    { when: () => true },
  );
}

/** undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (above, step) =>
      typeof above === 'object' && above !== null ? Reflect.get(above, step) : undefined,
    value,
  );
}

export function itemsAt(value: unknown, ...path: Path): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

export function membersAt(value: unknown, ...path: Path): object {
  const found = valueAt(value, path);
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : {};
}

/** Ids that are unique in a list of this name. */
export function ownIds(list: string): Check {
  return (items, note) => {
    const ids = itemsAt(items).map((item) => valueAt(item, ['id']));
    for (const [index, id] of ids.entries()) {
      const first = ids.indexOf(id);
      if (typeof id === 'string' && first !== index)
        note([index, 'id'], `is the id of ${list}[${first}], too`);
    }
  };
}
