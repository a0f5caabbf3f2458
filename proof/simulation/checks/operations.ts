import { mayBeLost } from '../case.ts';
import type { Evidence, OperationSeen, Violation } from '../evidence.ts';

/** Moves, test cases and changes of accounts: done once, and their authors are told how they ended. */
export function operations(evidence: Evidence): Violation[] {
  return evidence.operations.flatMap((operation) => wrongWith(operation, evidence));
}

function wrongWith(operation: OperationSeen, evidence: Evidence): Violation[] {
  const { lapses, interruptions, limits, audit } = evidence;
  const { name, person, at, acknowledgedAt, doubled, effects, told, logged } = operation;
  const wrong: Violation[] = [];
  const add = (kind: Violation['kind'], what: string, when: number | null = at) =>
    wrong.push({ kind, subject: name, person, at: when, what });
  // Nothing is searched for after a store went back: docs/how-it-works.md says so.
  const wentBack = lapses.some((each) => each.at >= at);
  if (effects.length > 1 && !wentBack)
    add('double', `it was done ${effects.length} times`, effects[1]);
  const results = told.filter(({ says }) => says !== 'progress');
  for (const [place, { text, at: when }] of results.entries()) {
    const last = results.slice(0, place).findLast((each) => each.text === text);
    const mayRepeat =
      last === undefined ||
      !last.answered ||
      wentBack ||
      interruptions.some((each) => each.from <= when && each.to + limits.resumeMs >= last.at);
    if (!mayRepeat) add('double', `its person was told twice: “${text}”`, when);
  }
  for (const { says, at: when, text } of results) {
    const isDone = effects.some((each) => each <= when);
    if (says === 'done' && !isDone) add('false', `“${text}”, and it was not done`, when);
    const isOfCopy = doubled === true && /was not recorded/.test(text);
    if (says === 'not-done' && isDone && !wentBack && !isOfCopy)
      add('false', `“${text}”, and it was done`, when);
  }
  const isLogged = audit?.some(
    ({ action, actor, facts }) =>
      actor === person &&
      /\.(send|outcome)$/.test(action) &&
      Object.entries(logged ?? {}).every(([fact, value]) => facts[fact] === value),
  );
  if (effects.length > 0 && isLogged === false && logged !== undefined && !wentBack)
    add('lost', 'it was done, and the log does not say so');
  if (
    acknowledgedAt !== null &&
    results.length === 0 &&
    !mayBeLost({ run: evidence }, acknowledgedAt, at)
  ) {
    const isDone = effects.length > 0;
    if (isDone) add('unanswered', 'it was done, and its person read nothing');
    else add('lost', 'it was acknowledged, and neither done nor answered');
  }
  return wrong;
}

/** How long a command that only shows something may take. */
const UNDER_WAY_MS = 10_000;

/**
 * Every command has an answer, or Slack's own error. A command that only shows something is not stored: it is lost with
 * a process that ends or stops between its acknowledgement and its answer.
 */
export function commands({ commands: all, interruptions }: Evidence): Violation[] {
  const isTakenAlong = (at: number) =>
    interruptions.some(
      ({ from, to, what }) =>
        /\bkill|stands still/.test(what) && from <= at + UNDER_WAY_MS && to >= at,
    );
  return all.flatMap(({ person, text, at, acknowledged, answer }) =>
    answer !== null || (acknowledged && isTakenAlong(at))
      ? []
      : [{ kind: 'unanswered', subject: text, person, at, what: `${text} had no answer` } as const],
  );
}
