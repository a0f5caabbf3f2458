import type { ApprovalRequest } from './approval-request.ts';

/** Reviewers from one list of addresses, and of ids of people and groups. */
export function reviewersNamed(
  all: readonly string[],
): NonNullable<ApprovalRequest['reviewers']> & { readonly users: string[]; groups: string[] } {
  const emails = all.filter((each) => each.includes('@'));
  const ids = all.filter((each) => !each.includes('@'));
  return {
    users: ids.filter((id) => !id.startsWith('S')),
    groups: ids.filter((id) => id.startsWith('S')),
    ...(emails.length > 0 && { emails }),
  };
}
