/**
 * What to delete in order to remove a feature of approvals: its own files and, in shared files, its members of
 * shared types and of the configuration. Paths in `src`.
 */

export interface OwnParts {
  /** Files, and folders with a slash at the end. */
  readonly files: readonly string[];
  /**
   * By file: a member as `Type.member`, one alternative of a union by the literal that names it, or a whole declaration.
   */
  readonly members?: Readonly<Record<string, readonly string[]>>;
}

const CONFIG = 'core/config/file.ts';

export const FEATURES = {
  hold: {
    files: ['approvals/decision/hold.ts', 'approvals/tell/message/hold.ts'],
  },
  'absence with substitutes': {
    files: [
      'approvals/electorate/absence.ts',
      'approvals/electorate/away.ts',
      'approvals/electorate/substitute.ts',
      'approvals/electorate/who-is-away.ts',
      'approvals/tell/message/absence.ts',
      'approvals/ways-in/absence/',
    ],
  },
  'loud self-approval': {
    files: [
      'approvals/decision/told-first.ts',
      'approvals/electorate/self-approval.ts',
      'approvals/tell/message/self-approval.ts',
    ],
  },
  escalation: {
    files: ['approvals/electorate/escalation.ts', 'approvals/tell/message/escalation.ts'],
  },
  'closed routes': {
    files: [
      'approvals/electorate/closed.ts',
      'approvals/electorate/closed-from.ts',
      'approvals/electorate/closing.ts',
      'approvals/electorate/read-closing.ts',
      'approvals/tell/message/closed.ts',
      'approvals/ways-in/closing/',
      'core/config/closed-time.ts',
    ],
  },
  quiet: {
    files: ['approvals/electorate/quiet.ts'],
  },
  needs: {
    files: [
      'approvals/electorate/needs.ts',
      'approvals/tell/message/needs.ts',
      'approvals/ways-in/need-contract.ts',
    ],
  },
  narrowing: {
    files: [
      'approvals/electorate/narrowing.ts',
      'approvals/ways-in/narrowing-contract.ts',
      'approvals/ways-in/reviewer-emails.ts',
    ],
  },
  supersede: {
    files: [
      'approvals/decision/supersede.ts',
      'approvals/tell/message/supersede.ts',
      'approvals/ways-in/supersede-contract.ts',
    ],
  },
  results: {
    files: [
      'approvals/decision/result.ts',
      'approvals/tell/message/result.ts',
      'approvals/ways-in/report-contract.ts',
      'approvals/ways-in/take-report.ts',
    ],
  },
  'several at once': {
    files: [
      'approvals/ways-in/list/press-end.ts',
      'approvals/ways-in/list/several.ts',
      'approvals/ways-in/list/several-flow.ts',
      'approvals/ways-in/list/several-form.ts',
    ],
    members: { [CONFIG]: ['routeShape.several'] },
  },
} as const satisfies Readonly<Record<string, OwnParts>>;

export type FeatureName = keyof typeof FEATURES;
