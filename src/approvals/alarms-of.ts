import type { FailureFacts } from '../lib/failure.ts';
import { type Alarm, type AlarmCause, slackAlarm } from './alert.ts';
import { type Approval, messagePart } from './approval.ts';
import { isSealed } from './sealed.ts';
import type { Step, StepResult } from './step.ts';

/** What administrators have to know of a step that ended so, and made `after` of `before`. */
export function alarmsOf(
  before: Approval,
  step: Step,
  result: StepResult,
  after: Approval,
): readonly Alarm[] {
  const end = result.kind === 'responded' ? result.end : result;
  const failure = end.kind === 'failed' ? end.failure : undefined;
  if (failure !== undefined && isSealed(failure)) return [{ cause: 'sealed' }];
  switch (step.kind) {
    case 'look':
      return listOf(notKnown(before, after) ?? (failure && denied('look-denied', failure)));
    case 'respond':
      return listOf(failure && denied('answer-denied', failure));
    case 'examine':
      return examinedWithOthers(before, step.click.user, result);
    case 'post':
      return listOf(failure && postRefused(before, step, failure));
    case 'update':
      return listOf(messageLost(before, after) ?? (failure && slackAlarm(failure, before.channel)));
    default:
      return listOf(failure && slackAlarm(failure));
  }
}

function listOf(alarm: Alarm | undefined): Alarm[] {
  return alarm === undefined ? [] : [alarm];
}

/** Raised when the same was so of three in a row. */
function notKnown({ watch: was }: Approval, { watch: is }: Approval): Alarm | undefined {
  const isFirst = was.checkedAt === undefined && is.why === 'not-known-404';
  return isFirst ? { cause: 'look-not-known', said: '404' } : undefined;
}

function denied(cause: AlarmCause, { status }: FailureFacts): Alarm | undefined {
  return status === 401 || status === 403 ? { cause, said: String(status) } : undefined;
}

function examinedWithOthers(before: Approval, user: string, result: StepResult): Alarm[] {
  const others = 'beside' in result ? Object.entries(result.beside?.others ?? {}) : [];
  const all: readonly (readonly [string, StepResult])[] = [[user, result], ...others];
  return all.flatMap(([who, found]) => examined(before, who, found));
}

function examined({ route }: Approval, user: string, result: StepResult): Alarm[] {
  if (result.kind === 'failed') {
    const { failure, of } = result;
    return listOf(of === 'service' ? peopleDenied(failure) : slackAlarm(failure));
  }
  if (result.kind !== 'accepted' && result.kind !== 'not-allowed') return [];
  const groups = result.missingGroups ?? [];
  const alarms: Alarm[] = groups.map((subject) => ({ cause: 'group-missing', subject }));
  if (result.kind === 'accepted') return alarms;
  if (result.code === 'several-accounts') alarms.push({ cause: 'several-accounts', subject: user });
  if (result.code === 'no-route') alarms.push({ cause: 'route-missing', subject: route });
  return alarms;
}

/** Whatever the service refuses here, it refuses for everybody: the token, the licence, the list. */
function peopleDenied({ class: kind, status, code }: FailureFacts): Alarm | undefined {
  if (kind !== 'refused' || status === 429) return undefined;
  return { cause: 'people-denied', said: String(status ?? code) };
}

/** The message is tried for days: of the same refusal it is said ever more rarely. */
function postRefused(
  before: Approval,
  { part, channel }: Extract<Step, { kind: 'post' }>,
  failure: FailureFacts,
): Alarm | undefined {
  // Nobody can mend the conversation with one person.
  const alarm = slackAlarm(failure, channel.startsWith('D') ? undefined : channel);
  if (part !== 'message') return alarm;
  const { tries = 0, refused } = messagePart(before);
  if (refused === failure.code && !isPowerOfTwo(tries + 1)) return undefined;
  if (failure.class !== 'refused' || failure.status === 429) return undefined;
  return alarm ?? { cause: 'post-refused', subject: channel, said: failure.code };
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}

/** It was posted again before, and is not any more. */
function messageLost(before: Approval, after: Approval): Alarm | undefined {
  const [was, is] = [messagePart(before), messagePart(after)];
  if (was.failed !== undefined || is.failed === undefined) return undefined;
  return { cause: 'message-deleted', subject: before.channel };
}
