import type { Condition } from './conditions.ts';

/** A condition that cannot have both values in a simulated world, whatever is added to it. */
export interface Excuse extends Pick<Condition, 'file' | 'within' | 'text'> {
  /** The value it never has. */
  readonly never: 'true' | 'false' | 'either';
  readonly reason: string;
}

const ELIGIBLE = 'approvals/electorate/eligible.ts';
const NEEDS = 'approvals/electorate/needs.ts';
const OWN_REQUEST = 'approvals/electorate/own-request.ts';
const SELF_APPROVAL = 'approvals/electorate/self-approval.ts';
const AUTHORIZE = 'approvals/decision/authorize.ts';
const REAUTHORIZE = 'approvals/decision/reauthorize.ts';
const DECISION = 'approvals/decision/decision.ts';
const TRANSITIONS = 'approvals/decision/transitions.ts';

const ONE_CONFIGURATION =
  'A world has one configuration, with its routes and keys, from beginning to end.';
const OLDER_BUTTON =
  'Only a button of an older configuration does not ask for the reason that is required.';
const NO_ORGANISATION =
  'A world is one workspace: only an organisation (Enterprise Grid) has this.';
const NO_MISTAKES = 'What is called throws nothing else, unless the program itself is wrong.';
const DROPPED_LATE =
  'Only what was found out for another decision would do that, and what comes so late is dropped.';
const NOT_ASKED = 'No condition: the value itself is passed on, and there is always one.';
const FOR_THE_TYPE = 'Only the types ask for it: every caller has it.';

export const EXCUSED: readonly Excuse[] = [
  ...excuse(NEEDS, 'start', 'false', ONE_CONFIGURATION, 'route ?? …'),
  ...excuse(OWN_REQUEST, 'start', 'false', ONE_CONFIGURATION, 'route ?? …'),
  ...excuse(SELF_APPROVAL, 'shape', 'false', ONE_CONFIGURATION, 'route?.'),
  ...excuse(OWN_REQUEST, 'isOwnRequestUnknown', 'false', ONE_CONFIGURATION, 'route !== undefined'),
  ...excuse(ELIGIBLE, 'eligible', 'true', ONE_CONFIGURATION, 'route === undefined'),
  ...excuse(AUTHORIZE, 'alertsOf', 'true', ONE_CONFIGURATION, "result.code === 'no-route'"),
  ...excuse(
    AUTHORIZE,
    'authorizeClick',
    'true',
    OLDER_BUTTON,
    "electorate.route?.reason[click.action] === 'required'",
    'isMissing',
  ),
  ...excuse(AUTHORIZE, 'tryLater', 'true', ONE_CONFIGURATION, 'isSealed(failure)'),
  ...excuse(DECISION, 'closedCode', 'true', ONE_CONFIGURATION, 'isSealed(failure)'),
  ...excuse(TRANSITIONS, 'becomeUnknown', 'true', ONE_CONFIGURATION, "why === 'sealed'"),

  ...excuse(ELIGIBLE, 'askAhead', 'false', NO_ORGANISATION, 'workspace.enterprise === null'),
  ...excuse(ELIGIBLE, 'askAhead', 'either', NO_ORGANISATION, 'electorate.selfApproval'),
  ...excuse(OWN_REQUEST, 'hasAsked', 'true', NO_ORGANISATION, 'person.globalId !== null'),
  ...excuse(OWN_REQUEST, 'isSame', 'true', NO_ORGANISATION, 'theirs.includes(id)'),

  ...excuse(ELIGIBLE, 'eligible', 'true', NO_MISTAKES, '!(error instanceof RemoteFailure)'),
  ...excuse(ELIGIBLE, 'eligible', 'false', NO_MISTAKES, 'error instanceof RemoteFailure'),
  ...excuse(ELIGIBLE, 'identify', 'false', NO_MISTAKES, 'error instanceof StoreError'),

  ...excuse(
    AUTHORIZE,
    'execute',
    'false',
    NOT_ASKED,
    'authorityOf(core, approval).read(approval, { ...looking, isPoll: false })',
  ),
  ...excuse(
    AUTHORIZE,
    'laterInTime',
    'false',
    NOT_ASKED,
    'Math.max(nextAt, status === 429 ? now + retryAfterMs : 0)',
  ),

  ...excuse(AUTHORIZE, 'authorizeClick', 'false', FOR_THE_TYPE, 'electorate.route?.'),
  ...excuse(AUTHORIZE, 'statusBeside', 'true', FOR_THE_TYPE, 'look === undefined'),
  ...excuse(
    REAUTHORIZE,
    'applyReauthorized',
    'false',
    FOR_THE_TYPE,
    'result.beside?.',
    'result.beside?.others ?? …',
    'data.ballots.find(({ user }) => user === by) ?? …',
  ),
  ...excuse(REAUTHORIZE, 'tooFewOf', 'false', ONE_CONFIGURATION, 'open.length > 0'),
  ...excuse(REAUTHORIZE, 'applyReauthorized', 'true', DROPPED_LATE, "phase.name !== 'send'"),
  ...excuse(TRANSITIONS, 'closeDecision', 'true', FOR_THE_TYPE, 'decision === undefined'),
  ...excuse(TRANSITIONS, 'isWithdrawn', 'false', FOR_THE_TYPE, 'watch.checkedAt ?? …'),
  ...excuse(
    TRANSITIONS,
    'presentState',
    'false',
    'A service is watched for days, and a world is over in minutes.',
    'ended !== true',
  ),
];

function excuse(
  file: string,
  within: string,
  never: Excuse['never'],
  reason: string,
  ...texts: readonly string[]
): Excuse[] {
  return texts.map((text) => ({ file, within, text, never, reason }));
}

/** The condition that each excuse is about. Throws if it is not in the source exactly once. */
export function placesOf(
  excused: readonly Excuse[],
  conditions: readonly Condition[],
): Map<Condition, Excuse> {
  return new Map(
    excused.map((excuse) => {
      const { file, within, text } = excuse;
      const [condition, ...others] = conditions.filter(
        (each) => each.file === file && each.within === within && each.text === text,
      );
      if (condition === undefined || others.length > 0) {
        const times = condition === undefined ? 'no' : 'more than one';
        throw new Error(`${file} has ${times} "${text}" in ${within}, which is excused`);
      }
      return [condition, excuse];
    }),
  );
}
