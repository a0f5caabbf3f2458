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

const RECORD = 'approvals/approval.ts';
const CONFIG = 'core/config/file.ts';
const STATEMENTS = 'approvals/decision/statement.ts';
const STATES = 'approvals/tell/message/message-state.ts';
const SIGNALS = 'approvals/decision/receive.ts';
const ELIGIBLE = 'approvals/electorate/eligible.ts';
const REQUEST = 'approvals/ways-in/approval-request.ts';
const VIEW = 'approvals/tell/approval-view.ts';

export const FEATURES = {
  hold: {
    files: ['approvals/decision/hold.ts', 'approvals/tell/message/hold.ts'],
    members: { [CONFIG]: ['routeSection.hold'] },
  },
  'absence with substitutes': {
    files: [
      'approvals/electorate/absence.ts',
      'approvals/electorate/away.ts',
      'approvals/electorate/find-absent.ts',
      'approvals/electorate/substitute.ts',
      'approvals/ways-in/absence/',
    ],
    members: {
      [RECORD]: [
        'Absent.people',
        'Absent.groups',
        'Absent.changedAt',
        'AbsentPerson',
        'Ballot.for',
        'Giver',
        'Unconfirmed.for',
        'Outcome.for',
        'HistoryEvent.for',
      ],
      [CONFIG]: ['routeSection.substitutes'],
      [STATEMENTS]: ['Counted.giver'],
      [STATES]: ['MessageState.for', 'MessageState.absent'],
      [SIGNALS]: ['ApprovalSignal.absences'],
      [ELIGIBLE]: ['SubstituteRefusal', 'Accepted.for'],
    },
  },
  'loud self-approval': {
    files: ['approvals/electorate/self-approval.ts', 'approvals/tell/message/self-approval.ts'],
    members: {
      [RECORD]: [
        'Click.reviews',
        'Ballot.self',
        'WaitsFor.telling',
        'Outcome.self',
        'SelfApproval',
      ],
      [CONFIG]: ['routeSection.loud'],
      [STATEMENTS]: ['reviewed', 'own-review', 'no-review', 'untold'].map(statement),
      [STATES]: ['MessageState.self'],
      [SIGNALS]: ['ApprovalSignal.reviewed'],
      [ELIGIBLE]: ['Accepted.self'],
      'approvals/tell/message/message.ts': ['ACTIONS.approveLoudly', 'ACTIONS.reviewed'],
    },
  },
  escalation: {
    files: ['approvals/electorate/escalation.ts', 'approvals/tell/message/escalation.ts'],
    members: {
      [CONFIG]: ['escalationSection', 'routeSection.escalate', 'RouteEscalation', 'Named.escalate'],
    },
  },
  quiet: {
    files: ['approvals/electorate/quiet.ts'],
    members: { [CONFIG]: ['routeSection.quiet', 'Named.quiet'] },
  },
  needs: {
    files: ['approvals/electorate/needs.ts', 'core/config/needs.ts'],
    members: {
      [RECORD]: ['Approval.needs'],
      [CONFIG]: ['needSection', 'routeSection.need'],
      [STATES]: ['MessageState.open', 'MessageState.lacking'],
      [REQUEST]: ['members.need'],
      [VIEW]: ['approvalDetails.needs'],
    },
  },
  narrowing: {
    files: ['approvals/electorate/narrowing.ts'],
    members: { [RECORD]: ['Approval.narrowedTo'], [REQUEST]: ['members.reviewers'] },
  },
  supersede: {
    files: ['approvals/decision/supersede.ts'],
    members: {
      [RECORD]: ['Approval.supersedes', 'Approval.supersededBy', 'Superseding', 'SupersededBy'],
      [STATES]: ['MessageState.supersededBy'],
      [SIGNALS]: ['ApprovalSignal.supersede'],
      [REQUEST]: ['members.supersedes'],
      [VIEW]: ['approvalDetails.supersededBy'],
      'approvals/lists.ts': ['supersedingList'],
    },
  },
  results: {
    files: [
      'approvals/decision/result.ts',
      'approvals/tell/result-view.ts',
      'approvals/tell/message/result.ts',
      'approvals/ways-in/report-contract.ts',
      'approvals/ways-in/take-report.ts',
    ],
    members: {
      [RECORD]: ['Approval.result', 'WorkResult', 'ResultState', 'Report'],
      [STATES]: ['MessageState.result'],
      [SIGNALS]: ['ApprovalSignal.report'],
      [VIEW]: ['approvalDetails.result'],
    },
  },
  'several at once': {
    files: ['approvals/ways-in/list/several.ts', 'approvals/ways-in/list/several-flow.ts'],
    members: { [CONFIG]: ['routeSection.several'] },
  },
} as const satisfies Readonly<Record<string, OwnParts>>;

export type FeatureName = keyof typeof FEATURES;

function statement(code: string): string {
  return `StatementFacts.${code}`;
}
