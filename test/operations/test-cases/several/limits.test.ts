import { describe, expect, it } from 'vitest';
import { queueOf } from '../../../../src/operations/batch/queue.ts';
import type { Line } from '../../../../src/operations/test-cases/several/case-batch.ts';
import {
  caseBatchAnnouncement,
  caseBatchMessage,
} from '../../../../src/operations/test-cases/several/case-batch-views.ts';
import {
  BOX_MAX,
  BOXES_MAX,
  linesForm,
} from '../../../../src/operations/test-cases/several/lines-form.ts';
import { readLines } from '../../../../src/operations/test-cases/several/read-lines.ts';
import { LINES_MAX } from '../../../../src/operations/test-cases/several/sentences.ts';
import { LINKS } from '../../../approvals/approvals.ts';
import { messageSchema, viewSchema } from '../../../support/slack-limits.ts';
import { batchState, batchWith, places } from './batches.ts';

/** Escaped, it is five times as long. */
const AMPERSANDS = '&'.repeat(500);
/** Slack's, for all of a view. */
const VIEW_MAX = 250_000;

describe('the form stays within Slack’s limits with ten full text areas', () => {
  it.each([
    ['one word', `${'x'.repeat(58)}\n`],
    ['signs that are escaped', `${'&'.repeat(58)}\n`],
    ['far letters', `${'験'.repeat(58)}\n`],
    ['faults', `${'x'.repeat(50)}| ${'&'.repeat(6)}\n`],
  ])('of %s', (_what, line) => {
    const box = line.repeat(Math.floor(BOX_MAX / line.length));
    const boxes = Array.from({ length: BOXES_MAX }, () => box);
    const read = readLines(boxes.join('\n')).slice(0, LINES_MAX);
    expect(read.length).toBe(LINES_MAX);
    const carry = { channel: 'C0', boxes: BOXES_MAX, previewed: 'x'.repeat(43) };
    const view = linesForm(places, carry, { projectId: 'tp1', boxes }, { read });
    viewSchema.parse(view);
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(VIEW_MAX);
  });
});

/** More than two pages hold. */
const MANY = 41;

it('the announcement of test cases with long ids and no link stays within Slack’s limits', () => {
  const end = { code: 'created', id: 'x'.repeat(78), status: AMPERSANDS } as const;
  const batch = batchWith(Array.from({ length: MANY }, () => ({ title: AMPERSANDS, end })));
  const message = caseBatchAnnouncement(batch, { ...places, links: { testCase: null } }, LINKS);
  messageSchema.parse(message);
  expect(JSON.stringify(message)).toContain(`(\`${end.id}\`)`);
});

describe('every page of the message stays within Slack’s limits', () => {
  const id = '&'.repeat(300);
  it.each<[string, Omit<Line, 'title'>]>([
    ['created', { end: { code: 'created', id, status: AMPERSANDS } }],
    ['created, with a state', { end: { code: 'created', id: '1', status: null } }],
    ['unknown', { end: { code: 'unknown' }, unconfirmed: { quietAt: 0, lost: 1, hasEnded: true } }],
    [
      'unknown and refused',
      {
        end: { code: 'invalid', detail: AMPERSANDS },
        unconfirmed: { quietAt: 0, lost: 1, hasEnded: true },
      },
    ],
    ['refused', { end: { code: 'invalid', detail: AMPERSANDS } }],
    ['not sent', {}],
  ])('of lines that are %s', (_what, end) => {
    for (const title of [AMPERSANDS, 'Pay']) {
      const lines = Array.from({ length: MANY }, () => ({ title, ...end }));
      const batch = batchWith(lines, {
        stopped: { code: 'invalid', detail: AMPERSANDS },
      });
      const shown = new Set<string>();
      for (let page = 0; page < MANY; page += 1) {
        const message = caseBatchMessage('0-a', batch, batchState({ ...batch, page }), places);
        messageSchema.parse(message);
        const text = JSON.stringify(message.blocks);
        for (const [, number = ''] of text.matchAll(/: (\d+)\. /gu)) shown.add(number);
        if (!text.includes('"Next (')) break;
      }
      expect(shown.size).toBe(MANY);
      messageSchema.parse(caseBatchAnnouncement(batch, places, LINKS));
    }
  });
});

describe('every message stays within Slack’s limits with the longest texts', () => {
  // The longest address that is shown as a link, the longest title, and both choices.
  const id = 'x'.repeat(600 - 'https://s.example/'.length);
  const longest = { ...places, links: { testCase: 'https://s.example/{id}' } };
  const wordy = { title: AMPERSANDS, priority: 'MEDIUM', type: 'AUTOMATED' } as const;
  const lost = { unconfirmed: { quietAt: 0, lost: 1, hasEnded: true } } as const;
  const end = { code: 'created', id, status: AMPERSANDS } as const;
  const stopped = { code: 'invalid', detail: AMPERSANDS } as const;
  const twice: Line = { ...wordy, ...lost, end };

  it.each<[string, (index: number) => Line]>([
    ['created, and perhaps twice', () => twice],
    ['refused', () => ({ ...wordy, end: stopped })],
    ['unknown, and refused since', () => ({ ...wordy, ...lost, end: stopped })],
    ['one of each', (index) => [twice, { ...wordy, end: stopped }, wordy][index % 3] ?? wordy],
  ])('of lines that are %s', (_what, line) => {
    const lines = Array.from({ length: LINES_MAX }, (_, index) => line(index));
    const batch = batchWith(lines, { stopped });
    // All pages hold the same, but for the last.
    for (const page of [0, 1, 2, LINES_MAX]) {
      const state = { ...batchState({ ...batch, page }), untold: true as const };
      messageSchema.parse(caseBatchMessage('0-a'.repeat(20), batch, state, longest));
    }
    messageSchema.parse(caseBatchAnnouncement(batch, longest, LINKS));
  });

  it('and the announcement says how many are left out', () => {
    const batch = batchWith(Array.from({ length: LINES_MAX }, () => twice));
    const text = JSON.stringify(caseBatchAnnouncement(batch, longest, LINKS).blocks);
    const shown = [...text.matchAll(/white_check_mark/gu)].length;
    expect(shown).toBeGreaterThan(2);
    expect(text).toContain(`and ${LINES_MAX - shown} more`);
  });

  it('and before the batch has ended', () => {
    const batch = batchWith([twice], { ...queueOf([0], 0) });
    messageSchema.parse(caseBatchMessage('0-a', batch, batchState(batch), longest));
  });
});
