/** Names that the interface does not show. Each is a plain name, or a JSON Pointer into the whole answer. */
export interface Dialect {
  readonly approval: {
    /** Interface 4.3 leaves it open. Default: `status`, then `state`. */
    readonly status?: string;
    /** Interface 4.3 leaves it open. Default: see `promptOf`. */
    readonly prompt?: string;
    /** Interface 4.3 leaves it open. Default: `resolvedAt`. */
    readonly resolvedAt?: string;
    /** Interface 5 leaves it open. `bearer` sends the API key to the approval endpoints. */
    readonly auth: 'none' | 'bearer';
  };
  /** Where a work item can be read. Interface 2.1 shows no way; left out: nowhere. */
  readonly task?: TaskDialect;
}

/** A JSON Pointer within an item begins at that item, so that it serves for sub-items too. */
export interface TaskDialect {
  /** Below the base address; an id, key or link follows as the last segment. */
  readonly path: string;
  /** Where the item stands in the answer. Default: its `data`, if it has one, else the answer itself. */
  readonly item?: string;
  /** Default: `id`. */
  readonly id?: string;
  /** Default: `key`. */
  readonly key?: string;
  /** Default: `title`. */
  readonly title?: string;
  /** Default: `updatedAt`. */
  readonly updatedAt?: string;
  /** A status id. Default: `status`. */
  readonly status?: string;
  /** Default: `projectId`. */
  readonly projectId?: string;
  /** A list of items of the same form. Default: `subItems`. */
  readonly subItems?: string;
}

export const defaultDialect: Dialect = { approval: { auth: 'none' } };
