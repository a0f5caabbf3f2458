import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { type ResultReport, receiveReport } from '../../src/approvals/decision/result.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import {
  messageStateOf,
  stateKey,
  withShown,
} from '../../src/approvals/tell/message/message-state.ts';
import { contentOf, namedIn, threadOf } from '../../src/approvals/tell/message/post-content.ts';
import { resultLine, resultNotes } from '../../src/approvals/tell/message/result.ts';
import { pressersToTell } from '../../src/approvals/tell/refresh-home.ts';
import { resultReport } from '../../src/approvals/ways-in/report-contract.ts';
import { resultContract } from '../../src/approvals/ways-in/take-report.ts';
import { dateText } from '../../src/core/slack/text.ts';
import {
  applied,
  approvalWith,
  attempted,
  LINKS,
  NOW,
  plan,
  received,
  termsWith,
} from './approvals.ts';

/** Results of approved work. */

const terms = termsWith({ outcomes: { thread: false, channel: null, requester: false } });
const learnedAt = NOW - 3_600_000;
const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt } as const;
/** Folded long ago. */
const approval = approvalWith({
  outcome,
  requester: { user: 'U0BEN' },
  stated: 'folds',
  posts: [
    { name: 'message', channel: 'C0PROD', ts: '17.1' },
    { name: 'outcome-request', channel: 'C0PROD', ts: '17.2' },
  ],
});

/** After these reports, a minute apart. */
const after = (reports: readonly ResultReport[], before: Approval = approval) =>
  reports.reduce((data, report, at) => {
    const body = encodeSignal({ kind: 'report', report });
    return received(data, { id: `${at}`, at: NOW + at * 60_000, body });
  }, before);

const textOf = (at: number) => dateText(at, new Date(at).toISOString());
const statesOf = ({ result }: Approval) => result?.reports.map(({ state }) => state);
const lineAt = (data: Approval, now: number) => {
  const state = messageStateOf(data, terms, now);
  if (state.name !== 'decided' || state.result === undefined) throw new Error('it has no result');
  return resultLine(state.result);
};

describe('a report of a result', () => {
  test('is the latest one, with the times of all reports', () => {
    const data = after([{ state: 'running' }, { state: 'failed' }, { state: 'succeeded' }]);
    expect(data.result?.reports).toEqual([
      { state: 'running', at: NOW },
      { state: 'failed', at: NOW + 60_000 },
      { state: 'succeeded', at: NOW + 120_000 },
    ]);
    expect(lineAt(data, NOW)).toBe(':white_check_mark: *Succeeded* after 2 min');
  });

  test('is ignored before an approval, and changes no outcome', () => {
    const open = approvalWith();
    expect(after([{ state: 'succeeded' }], open)).toBe(open);
    const rejected = approvalWith({ outcome: { ...outcome, status: 'REJECTED' } });
    expect(after([{ state: 'running' }], rejected)).toBe(rejected);
    expect(after([{ state: 'failed' }]).outcome).toBe(outcome);
  });

  test('of running is ignored after the end, and so is a repeated one', () => {
    const ended = after([{ state: 'failed', text: 'No disk' }]);
    expect(after([{ state: 'running' }], ended)).toBe(ended);
    expect(after([{ state: 'failed', text: 'No disk' }], ended)).toBe(ended);
    expect(statesOf(after([{ state: 'failed', text: 'No memory' }], ended))).toHaveLength(2);
  });

  test('with a claim claims the run once, and only if nothing was reported before', () => {
    const claimed = after([{ state: 'running', claim: 'one' }]);
    expect(claimed.result?.claim).toBe('one');
    expect(after([{ state: 'running', claim: 'two' }], claimed)).toBe(claimed);
    const other = { state: 'running', claim: 'two', text: 'Elsewhere' } as const;
    expect(after([other], claimed)).toBe(claimed);
    const ended = after([{ state: 'succeeded' }], claimed);
    expect(ended.result?.claim).toBe('one');
    const unclaimed = after([{ state: 'running' }]);
    expect(after([{ state: 'running', claim: 'one' }], unclaimed)).toBe(unclaimed);
  });

  test('keeps its link until another one is given', () => {
    const link = 'https://ci.example.com/4711';
    const ended = after([{ state: 'running', link }, { state: 'succeeded' }]);
    expect(ended.result?.link).toBe(link);
    expect(after([{ state: 'succeeded' }], ended)).toBe(ended);
    const other = `${link}/retry`;
    expect(after([{ state: 'succeeded', link: other }], ended).result?.link).toBe(other);
  });

  test('replaces the reply about an earlier end, even one that is not posted yet', () => {
    const slot = { name: `result-${NOW}`, channel: 'C0PROD', slot: true } as const;
    const failed = after([{ state: 'failed' }]);
    const waiting = { ...failed, posts: [...failed.posts, slot] };
    expect(after([{ state: 'succeeded' }], waiting).posts).toEqual(approval.posts);
  });

  test('of running is ignored if an own gate was approved by who asked, and an end is not', () => {
    const self = { by: 'U0BEN', isLate: true } as const;
    const own = { ...approval, key: 'deploy', outcome: { ...outcome, self } };
    expect(after([{ state: 'running' }], own)).toBe(own);
    expect(lineAt(after([{ state: 'failed' }], own), NOW)).toMatch(/^:x: \*Failed\*/u);
  });

  test.each([
    [{ state: 'running', claim: 'one' } as const, { state: 'running', claimed: true }],
    [{ state: 'failed', text: 'No disk' } as const, { state: 'failed', claimed: false }],
  ])('%j is in the audit log, without its words', (report, facts) => {
    const signal = { kind: 'report', report } as const;
    const { audit } = receiveReport(approval, signal, terms, NOW);
    expect(audit).toEqual([{ action: 'approvals.result', record: null, actor: 'default', facts }]);
  });

  test('is kept together with the first one if there are too many', () => {
    const many = Array.from(
      { length: 50 },
      (_, at) => ({ state: 'failed', text: `${at}` }) as const,
    );
    const { result, posts } = after([{ state: 'running' }, ...many]);
    expect(result?.reports).toHaveLength(20);
    expect(result?.reports[0]).toEqual({ state: 'running', at: NOW });
    expect(result?.text).toBe('49');
    expect(posts).toEqual(approval.posts);
  });
});

describe('the message with a result', () => {
  const UNTIL = NOW + 600_000;
  const running = after([{ state: 'running', until: UNTIL }]);
  const shown = withShown(running, messageStateOf(running, terms, NOW));

  test('says after the time limit since when nothing is reported, not that the run ended', () => {
    expect(lineAt(running, UNTIL - 1)).toMatch(/^:gear: \*Running\* since .* · next report by /u);
    expect(plan(shown, terms, NOW + 60_000)).toEqual({
      kind: 'wait',
      until: UNTIL,
      lane: 'people',
    });
    expect(plan(shown, terms, UNTIL)).toMatchObject({ step: { kind: 'update' } });
    expect(lineAt(running, UNTIL)).toBe(
      `:grey_question: *No report since* ${textOf(NOW)} · expected by ${textOf(UNTIL)}`,
    );
    expect(stateKey(messageStateOf(running, terms, UNTIL))).not.toBe(shown.shown);
  });

  describe('that is renewed', () => {
    const later = (minutes: number) => UNTIL + minutes * 60_000;
    const renewals = [1, 2, 3].map(
      (minutes) => ({ state: 'running', until: later(minutes) }) as const,
    );
    const first = { state: 'running', until: UNTIL, claim: 'one', text: 'Deploy' } as const;
    const saying = renewals.map((each) => ({ ...each, text: 'Deploy' }));
    const renewed = after([first, ...saying]);

    test('keeps one line while it runs, and says afterwards when it was last heard of', () => {
      const lines = [2, 3, 4].map((count) =>
        lineAt(after([first, ...saying].slice(0, count)), NOW),
      );
      expect(new Set(lines)).toEqual(new Set([`:gear: *Running* since ${textOf(NOW)}`]));
      expect(lineAt(renewed, later(3) - 1)).toBe(lines[0]);
      expect(lineAt(renewed, later(3))).toBe(
        `:grey_question: *No report since* ${textOf(NOW + 180_000)} · started ${textOf(NOW)}`,
      );
      const back = after([{ state: 'running', text: 'Deploy', until: later(9) }], renewed);
      expect(lineAt(back, later(3))).toBe(lines[0]);
      expect(statesOf(after([{ state: 'failed' }], renewed))).toEqual(['running', 'failed']);
    });

    test('has one report, and keeps its claim and its link', () => {
      const link = 'https://ci.example.com/4711';
      const linked = after([{ ...first, link }, ...saying]);
      expect(linked.result).toMatchObject({ claim: 'one', link, text: 'Deploy', until: later(3) });
      expect(statesOf(linked)).toEqual(['running']);
      expect(resultContract.shown(linked)?.result).toMatchObject({
        state: 'running',
        at: new Date(NOW + 180_000).toISOString(),
        until: new Date(later(3)).toISOString(),
        history: [{ state: 'running' }],
      });
    });

    test('changes no Home tab before nothing is reported any more', () => {
      const ballot = { user: 'U0ANA', action: 'approve', at: NOW, atHome: true } as const;
      const before = { ...after([first]), ballots: [ballot] };
      const next = after(saying, before);
      expect(pressersToTell(before, next)).toEqual([]);
      const silent = withShown(next, messageStateOf(next, terms, later(3)));
      expect(pressersToTell(next, silent)).toEqual(['U0ANA']);
      expect(pressersToTell(next, after([{ state: 'failed' }], next))).toEqual(['U0ANA']);
    });

    test('changes the Home tab with its first report, and with an update only if it has a time', () => {
      const ballot = { user: 'U0ANA', action: 'approve', at: NOW, atHome: true } as const;
      const pressed = { ...approval, ballots: [ballot] };
      const untimed = after([{ state: 'running' }], pressed);
      expect(pressersToTell(pressed, untimed)).toEqual(['U0ANA']);
      expect(pressersToTell(untimed, { ...untimed, shown: 'updated' })).toEqual([]);
      expect(pressersToTell(pressed, { ...pressed, shown: 'updated' })).toEqual([]);
    });

    test('keeps its time if an earlier renewal arrives later', () => {
      const late = { state: 'running', until: later(1), text: 'Deploy' } as const;
      expect(after([late], renewed)).toEqual(renewed);
    });

    test.each([
      ['another text', { text: 'Migrate' }],
      ['another link', { text: 'Deploy', link: 'https://ci.example.com/9' }],
    ])('is a report of its own with %s', (_, more) => {
      const data = after([{ state: 'running', until: later(9), ...more }], renewed);
      expect(statesOf(data)).toEqual(['running', 'running']);
      expect(lineAt(data, NOW)).toMatch(/ · next report by /u);
    });

    test('is not renewed by a report without a time, nor before there is one', () => {
      const untold = { state: 'running', text: 'Deploy' } as const;
      expect(statesOf(after([first, untold]))).toEqual(['running', 'running']);
      const untimed = after([{ state: 'running' }, { state: 'running', until: UNTIL }]);
      expect(lineAt(untimed, NOW)).toMatch(/ · next report by /u);
    });
  });

  test('says when it ended if no start was reported', () => {
    expect(lineAt(after([{ state: 'succeeded' }]), NOW)).toMatch(/\*Succeeded\* <!date\^/u);
  });

  test('that was deleted is posted again, with a failure below it', () => {
    const name = `result-${NOW}`;
    const refused = { name, channel: 'C0PROD', failed: 'cannot_reply_to_message' };
    const failed = after([{ state: 'failed' }]);
    const shownFailed = { ...failed, posts: [...failed.posts, refused] };
    const next = plan(shownFailed, terms, NOW);
    if (next.kind !== 'step' || next.step.kind !== 'update') throw new Error('it is not changed');
    const failure = { class: 'refused', code: 'message_not_found' } as const;
    const begun = attempted(shownFailed, next.step, NOW);
    const { posts } = applied(begun, next.step, { kind: 'failed', failure }, NOW, terms);
    expect(posts.map((post) => post.name)).not.toContain(name);
  });

  test('is updated for a result even if Slack refused the update before', () => {
    const folded = withShown(shown, messageStateOf(shown, terms, NOW + 60_000));
    const ended = after([{ state: 'failed' }], folded);
    const next = plan(ended, terms, NOW + 60_000);
    if (next.kind !== 'step' || next.step.kind !== 'update') throw new Error('it is not changed');
    const failure = { class: 'refused', code: 'is_archived' } as const;
    const begun = attempted(ended, next.step, NOW + 60_000);
    const refused = applied(begun, next.step, { kind: 'failed', failure }, NOW + 60_000, terms);
    expect(refused.update).toMatchObject({ tries: 1 });
    expect(refused.shown).toBeUndefined();
  });
});

describe('the thread with a result', () => {
  const failed = withShownAt(
    after([{ state: 'running' }, { state: 'failed', text: 'No disk <!here>' }]),
  );

  test('has each end once, and mentions the requester after a failure', () => {
    const name = `result-${NOW + 60_000}`;
    expect(plan(failed, terms, NOW + 60_000)).toMatchObject({
      step: { kind: 'take-slot', post: name },
    });
    const state = messageStateOf(failed, terms, NOW + 60_000);
    const { text, blocks } = contentOf('id', failed, name, state, { ...terms, links: LINKS });
    expect(text).toMatch(/^:x: \*Failed\* after 60 s · .*Deploy 4\.2.* · <@U0BEN>$/u);
    expect(JSON.stringify(blocks)).toContain('No disk <!here>');
    expect(text).not.toContain('<!here>');
    expect(text).toContain('archives/C0PROD/p17');
    expect(threadOf(failed, name)).toEqual({ threadTs: '17.1' });
    expect(namedIn(failed, name)).toEqual([]);
  });

  test('has no reply for running, and no mention for a success', () => {
    const running = withShownAt(after([{ state: 'running' }]));
    expect(plan(running, terms, NOW + 60_000)).toMatchObject({ kind: 'finish' });
    const done = withShownAt(after([{ state: 'succeeded' }]));
    const state = messageStateOf(done, terms, NOW);
    const { text } = contentOf('id', done, `result-${NOW}`, state, { ...terms, links: LINKS });
    expect(text).not.toContain('U0BEN');
  });

  /** Its message is up to date. */
  function withShownAt(data: Approval): Approval {
    return withShown(data, messageStateOf(data, terms, NOW + 60_000));
  }
});

describe('what the message shows of a result', () => {
  const link = 'https://ci.example.com/4711';
  const decided = (data: Approval) => {
    const state = messageStateOf(data, terms, NOW);
    if (state.name !== 'decided') throw new Error('it is not decided');
    return state;
  };

  test('is its state with the run, its words as they are, and the link to it', () => {
    const running = decided(after([{ state: 'running', text: 'Deploy <!here>', link }]));
    const [line, words, ...more] = resultNotes.blocks?.(running, undefined) ?? [];
    expect(JSON.stringify(line)).toContain(`:gear: *Running* since ${textOf(NOW)} · *`);
    expect(JSON.stringify(line)).toContain(link);
    expect(words?.type).toBe('rich_text');
    expect(JSON.stringify(words)).toContain('Deploy <!here>');
    expect(more).toEqual([]);
    expect(resultNotes.links?.(running)).toEqual([link]);
    expect(resultNotes.isMore?.(running)).toBe(true);
    expect(resultNotes.line?.(running)).toBe(`:gear: *Running* since ${textOf(NOW)}`);
  });

  test('is one line without words and without a run', () => {
    const failed = decided(after([{ state: 'failed', text: '\u200b' }]));
    const blocks = resultNotes.blocks?.(failed, undefined);
    expect(blocks).toHaveLength(1);
    expect(blocks).toMatchObject([{ text: { text: `:x: *Failed* ${textOf(NOW)}` } }]);
    expect(resultNotes.links?.(failed)).toEqual([]);
  });

  test('is nothing before a report', () => {
    const state = decided(approval);
    expect(resultNotes.blocks?.(state, undefined)).toEqual([]);
    expect(resultNotes.links?.(state)).toEqual([]);
    expect(resultNotes.isMore?.(state)).toBe(false);
    expect(resultNotes.line?.(state)).toBeUndefined();
    expect(resultNotes.metadata?.(approval)).toEqual({});
    expect(resultNotes.times?.(approval, 'CI')).toEqual([]);
  });

  test('names the run that claimed it, so that a store that went back lets no other run begin', () => {
    const claimed = after([{ state: 'running', claim: 'one' }]);
    expect(resultNotes.metadata?.(claimed)).toEqual({ claim: 'one' });
    expect(resultNotes.metadata?.(after([{ state: 'running' }]))).toEqual({ claim: '-' });
  });

  test('has the times of its reports, and of the last renewal', () => {
    const until = NOW + 600_000;
    const first = { state: 'running', until } as const;
    const renewed = after([first, { ...first, until: until + 1 }]);
    expect(resultNotes.times?.(renewed, 'CI')).toEqual([
      { at: NOW, text: 'CI: running' },
      { at: NOW + 60_000, text: 'CI: still running' },
    ]);
    const ended = after([{ state: 'running' }, { state: 'failed' }]);
    expect(resultNotes.times?.(ended, 'CI').map(({ text }) => text)).toEqual([
      'CI: running',
      'CI: failed',
    ]);
  });
});

describe('the body of a report', () => {
  const faultOf = (body: object) => resultReport.safeParse(body).error?.issues[0]?.path.join('.');

  test.each([
    [{ state: 'done' }, 'state'],
    [{ state: 'failed', text: 'x'.repeat(301) }, 'text'],
    [{ state: 'failed', link: 'ci' }, 'link'],
    [{ state: 'failed', link: 'javascript:alert(1)' }, 'link'],
    [{ state: 'running', until: 'soon' }, 'until'],
    [{ state: 'succeeded', claim: 'run-1' }, 'claim'],
    [{ state: 'failed', status: 1 }, ''],
  ])('%j is invalid at %j', (body, path) => {
    expect(faultOf(body)).toBe(path);
  });

  test('may have empty members', () => {
    const read = resultReport.parse({ state: 'failed', text: ' ', link: '' });
    expect(read).toEqual({ state: 'failed' });
  });

  test('accepts 300 characters of any script', () => {
    expect(faultOf({ state: 'failed', text: '😀'.repeat(300) })).toBeUndefined();
  });
});
