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
}

export const defaultDialect: Dialect = { approval: { auth: 'none' } };
