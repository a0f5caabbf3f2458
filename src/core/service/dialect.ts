/** Names that the interface does not specify. Each is a plain name, or a JSON Pointer into the whole answer. */
export interface Dialect {
  readonly approval: {
    /** Not specified by Interface 4.3. Default: `status`, then `state`. */
    readonly status?: string;
    /** Not specified by Interface 4.3. Default: see `promptOf`. */
    readonly prompt?: string;
    /** Not specified by Interface 4.3. Default: `resolvedAt`. */
    readonly resolvedAt?: string;
    /** Not specified by Interface 5. `bearer` sends the API key to the approval endpoints. */
    readonly auth: 'none' | 'bearer';
  };
  /** Where a work item can be read, which Interface 2.1 does not specify; absent: nowhere. */
  readonly task?: TaskDialect;
}

/** A JSON Pointer within an item starts at that item, so that it also works for sub-items. */
export interface TaskDialect {
  /** Below the base address; the id, key or link follows as last segment. */
  readonly path: string;
  /** The item's place in the answer. Default: its `data`, if present, else the answer itself. */
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
