/** The service's own words, for an outcome: a member that is there only if there are any. */
export function said(detail: string | null | undefined): { readonly detail?: string } {
  return detail === null || detail === undefined ? {} : { detail };
}
