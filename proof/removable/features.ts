/**
 * What to delete in order to remove a feature of approvals: its own files and, in shared files, its members of the
 * record, of the configuration and of other shared types. Paths in `src`.
 */

export interface OwnParts {
  /** Files, and folders with a slash at the end. */
  readonly files: readonly string[];
  /**
   * By file: a member as `Type.member`, one alternative of a union by the literal that names it, or a whole declaration.
   */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

const CONFIG = 'core/config/file.ts';

export const FEATURES = {
  hold: {
    files: ['approvals/decision/hold.ts', 'approvals/tell/message/hold.ts'],
    members: { [CONFIG]: ['routeShape.hold'] },
  },
  'absence with substitutes': {
    files: [
      'approvals/decision/substitution.ts',
      'approvals/electorate/absence.ts',
      'approvals/electorate/away.ts',
      'approvals/electorate/substitute.ts',
      'approvals/electorate/who-is-away.ts',
      'approvals/tell/message/absence.ts',
      'approvals/ways-in/absence/',
    ],
    members: { [CONFIG]: ['routeShape.substitutes'] },
  },
  'loud self-approval': {
    files: [
      'approvals/decision/told-first.ts',
      'approvals/electorate/self-approval.ts',
      'approvals/tell/message/self-approval.ts',
    ],
    members: {
      [CONFIG]: ['routeShape.loud'],
      'approvals/tell/message/message.ts': ['ACTIONS.approveLoudly'],
    },
  },
  escalation: {
    files: ['approvals/electorate/escalation.ts', 'approvals/tell/message/escalation.ts'],
    members: {
      [CONFIG]: ['escalationSection', 'routeShape.escalate', 'RouteEscalation', 'Named.escalate'],
    },
  },
  'closed routes': {
    files: [
      'approvals/decision/closed.ts',
      'approvals/decision/closed-from.ts',
      'approvals/decision/closed-route.ts',
      'approvals/electorate/closed.ts',
      'approvals/electorate/closing.ts',
      'approvals/tell/closed-view.ts',
      'approvals/tell/message/closed.ts',
      'approvals/ways-in/closed-contract.ts',
      'approvals/ways-in/closing/',
      'cli/close.ts',
      'core/config/closed-time.ts',
    ],
    members: {
      [CONFIG]: [
        'closedSection',
        'routeShape.closed',
        'routeShape.closers',
        'routeShape.closedAllows',
      ],
    },
  },
  quiet: {
    files: ['approvals/electorate/quiet.ts'],
    members: { [CONFIG]: ['routeShape.quiet', 'Named.quiet'] },
  },
  needs: {
    files: [
      'approvals/electorate/needs.ts',
      'approvals/tell/message/needs.ts',
      'approvals/ways-in/need-contract.ts',
    ],
    members: { [CONFIG]: ['needSection', 'routeShape.need'] },
  },
  narrowing: {
    files: ['approvals/electorate/narrowing.ts', 'approvals/ways-in/narrowing-contract.ts'],
    members: {},
  },
  supersede: {
    files: [
      'approvals/decision/supersede.ts',
      'approvals/tell/message/supersede.ts',
      'approvals/ways-in/supersede-contract.ts',
    ],
    members: {},
  },
  results: {
    files: [
      'approvals/decision/result.ts',
      'approvals/tell/message/result.ts',
      'approvals/ways-in/report-contract.ts',
      'approvals/ways-in/take-report.ts',
    ],
    members: {},
  },
  'several at once': {
    files: [
      'approvals/ways-in/list/several.ts',
      'approvals/ways-in/list/several-flow.ts',
      'approvals/ways-in/list/several-form.ts',
    ],
    members: { [CONFIG]: ['routeShape.several'] },
  },
} as const satisfies Readonly<Record<string, OwnParts>>;

export type FeatureName = keyof typeof FEATURES;
