import { code, escapeMrkdwn } from '../../../core/slack/text.ts';
import type { Approval } from '../../approval.ts';
import { requestersOf } from '../../electorate/requester.ts';
import { isVerified } from '../../electorate/verified.ts';
import { addressOf, canBeLinked } from './run-link.ts';

/** What an identity token proves about a request, for its message and its details. */

/** For the small print: whether who asked is proved, and the run. */
export function proofFacts(approval: Approval): string[] {
  const { proof } = approval;
  if (proof === undefined) return [];
  const run = runText(approval);
  return [
    ...(isVerified(approval) ? [`verified by ${escapeMrkdwn(proof.by)}`] : []),
    ...(run === undefined ? [] : [run]),
  ];
}

/** A link to the run; undefined: the token does not say where it is. */
function runText({ proof }: Approval): string | undefined {
  const { run, repository } = proof ?? {};
  if (run?.link === undefined || !canBeLinked(run.link)) return undefined;
  const of = repository === undefined ? '' : ` of ${escapeMrkdwn(repository)}`;
  return `<${addressOf(run.link)}|run ${escapeMrkdwn(run.id)}${of}>`;
}

/** For *Details*: all of it, and why who asked is not proved. */
export function proofLines(approval: Approval): string[] {
  const { proof } = approval;
  if (proof === undefined) return [];
  const { by, subject, run } = proof;
  const name = escapeMrkdwn(by);
  const attempt = run?.attempt === undefined ? '' : `, attempt ${run.attempt}`;
  const which =
    run === undefined ? '' : ` · ${runText(approval) ?? `run ${code(run.id)}`}${attempt}`;
  const isRerun = requestersOf(approval).some(({ proved }) => proved === 'rerun');
  return [
    `Identity token of ${name}: ${code(subject)}${which}`,
    ...(isRerun
      ? [`It was run again, and ${name} does not say by whom: who asked is not verified.`]
      : []),
  ];
}
