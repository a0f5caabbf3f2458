import { type Case, postOf } from './case.ts';
import { casesIn } from './checker.ts';
import { claimsOf } from './claims.ts';
import type { Evidence, Version, Violation } from './evidence.ts';

/** A violation and, line by line, what everybody saw of its approval or operation until it came to rest. */
export function storyOf(
  evidence: Evidence,
  { kind, subject, person, at, what }: Violation,
): string {
  const who = person === null ? '' : ` (${person})`;
  const seen = casesIn({
    ...evidence,
    approvals: evidence.approvals.filter(({ name }) => name === subject),
  }).find(({ approval }) => approval.name === subject);
  const lines = seen === undefined ? operationLines(evidence, subject) : caseLines(seen, person);
  const from = Math.min(...lines.map((line) => line.at), at ?? Number.POSITIVE_INFINITY);
  const until = Math.max(...lines.map((line) => line.at), at ?? 0);
  const around = runLines(evidence).filter((line) => line.at >= from && line.at <= until);
  const told = [...lines, ...around]
    .toSorted((one, other) => one.at - other.at)
    .map((line) => `  ${((line.at - from) / 1_000).toFixed(3).padStart(9)} s  ${line.words}`);
  const log = seen?.audit?.map(
    ({ action, actor, facts }) => `  in the log   ${action} ${actor} ${JSON.stringify(facts)}`,
  );
  return [`${kind}: ${subject}${who}: ${what}`, ...told, ...(log ?? [])].join('\n');
}

interface Line {
  readonly at: number;
  readonly words: string;
}

function caseLines(seen: Case, of: string | null): Line[] {
  const { approval, messages, told, presses, callbacks, homes, run } = seen;
  const { intake, withdrawals, effects, calls } = approval;
  return [
    ...intake.flatMap(({ at, answeredAt, status, record }) => [
      { at, words: `automation  asks ${approval.reviewers.join(', ')}` },
      ...(answeredAt === null
        ? []
        : [{ at: answeredAt, words: `automation  is answered ${status} ${record ?? ''}` }]),
    ]),
    ...withdrawals.flatMap(({ at, answeredAt }) => [
      { at, words: 'automation  withdraws' },
      ...(answeredAt === null
        ? []
        : [{ at: answeredAt, words: 'automation  is answered: the withdrawal is taken' }]),
    ]),
    ...calls.map(({ operation, at, action, serviceUser, status }) => ({
      at,
      words: `service     gets ${operation} ${action ?? ''} ${serviceUser ?? ''} and answers ${status ?? 'nothing'}`,
    })),
    ...effects.map(({ at, status, how, serviceUser }) => ({
      at,
      words: `service     is ${status}, by ${how} ${serviceUser ?? ''}`,
    })),
    ...messages.flatMap((message) => [
      ...message.versions.map((version, place) => ({
        at: version.at,
        words: `slack       ${place === 0 ? 'posts' : 'changes'} ${postOf(message)} ${message.ts}: ${stateOf(version)}`,
      })),
      ...(message.deletedAt === null
        ? []
        : [{ at: message.deletedAt, words: `slack       deletes ${message.ts}` }]),
    ]),
    ...told.map(({ at, person, text, answered }) => ({
      at,
      words: `${person.padEnd(11)} reads “${text}”${answered ? '' : ' (Slack’s answer to the bot was lost)'}`,
    })),
    ...(callbacks ?? []).map(({ at, id, type, status, by, isTaken }) => ({
      at,
      words: `receiver    ${isTaken ? 'takes' : 'refuses'} ${type} ${status} ${by.join(', ')} (${id})`,
    })),
    ...presses.map(({ at, person, action, acknowledgedAt, shown }) => ({
      at,
      words: `${person.padEnd(11)} presses ${action}: ${acknowledgedAt === null ? `not acknowledged, ${shown ?? 'nothing shown'}` : `acknowledged after ${acknowledgedAt - at} ms`}`,
    })),
    ...homes
      .filter(({ on }) => on.person === of)
      .map(({ on, section, reads }) => ({
        at: on.at,
        words: `${on.person.padEnd(11)} sees it at Home, ${section}, as it was ${ageOf(on.at, reads)}`,
      })),
    ...(run.lists ?? []).flatMap(({ person, from, until, titles }) => [
      { at: from, words: `${person.padEnd(11)} types /approvals` },
      {
        at: until,
        words: `${person.padEnd(11)} reads ${titles.length} requests, ${titles.includes(approval.title) ? 'and' : 'not'} this one`,
      },
    ]),
  ];
}

function ageOf(at: number, reads: readonly number[] | null): string {
  if (reads === null || reads.length === 0) return 'at some time';
  return `${reads.map((read) => at - read).join(' or ')} ms before`;
}

function stateOf(version: Version): string {
  const claims = claimsOf(version);
  const by = claims.by.length > 0 ? ` by ${claims.by.join(', ')}` : '';
  if (claims.status !== null) return `${claims.status}${claims.elsewhere ? ' elsewhere' : by}`;
  if (claims.held !== null) return `held, approved by ${claims.held.by.join(', ')}`;
  const [decision] = claims.undecided;
  if (decision !== undefined) return `${decision.action} of ${decision.person}, not decided yet`;
  const states = ['waiting', 'waitsForService', 'unknown', 'withdrawn'] as const;
  return states.filter((state) => claims[state]).join(', ') || version.text;
}

function operationLines({ operations, commands }: Evidence, subject: string): Line[] {
  return [
    ...operations
      .filter(({ name }) => name === subject)
      .flatMap(({ at, kind, person, effects, told }) => [
        { at, words: `${person.padEnd(11)} asks for a ${kind}` },
        ...effects.map((done) => ({ at: done, words: 'service     does it' })),
        ...told.map((each) => ({
          at: each.at,
          words: `${person.padEnd(11)} reads “${each.text}”`,
        })),
      ]),
    ...commands
      .filter(({ text }) => text === subject)
      .map(({ at, person, text, answer }) => ({
        at,
        words: `${person.padEnd(11)} types ${text} and reads ${answer ?? 'nothing'}`,
      })),
  ];
}

/** What happened to the processes and the store during that time. */
function runLines({ lapses, interruptions, closures = [], rights }: Evidence): Line[] {
  return [
    ...lapses.map(({ from, at }) => ({ at, words: `store       goes back by ${at - from} ms` })),
    ...interruptions.map(({ from, to, what }) => ({
      at: from,
      words: `process     ${what}, for ${to - from} ms`,
    })),
    ...closures.map(({ from, to, channel }) => ({
      at: from,
      words: `slack       archives ${channel}, for ${to - from} ms`,
    })),
    ...rights
      .filter(({ approval }) => approval === undefined)
      .map(({ at, person, can }) => ({
        at,
        words: `${person.padEnd(11)} can ${can ? '' : 'no longer '}decide`,
      })),
  ];
}
