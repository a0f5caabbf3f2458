import { describe, expect, test } from 'vitest';
import { type Approval, placeOf } from '../../src/approvals/approval.ts';
import { owe } from '../../src/approvals/decision/transitions.ts';
import { decodeApproval, encodeApproval } from '../../src/approvals/stored-approval.ts';
import { stateKey } from '../../src/approvals/tell/message/message-state.ts';
import { approvalWith, inWords, NOW, said, WAITING } from './approvals.ts';

const asker = { user: 'U0ANA', channel: 'C0PROD', at: NOW };
const message = { name: 'message', channel: 'C0PROD' };

function keptAndRead(approval: Approval): Approval {
  return decodeApproval({ data: encodeApproval(approval), place: placeOf(approval) });
}

describe('a stored approval', () => {
  test.each<[string, Partial<Approval>]>([
    ['waits', {}],
    ['is of the route and the source of the environment', { route: 'default', source: 'default' }],
    ['is of a source and a route', { route: 'production', source: 'deploys' }],
    ['is not posted', { posts: [message] }],
    ['is being posted', { posts: [{ ...message, attempt: { plannedAt: 1, mustEndBy: 2 } }] }],
    ['was posted again', { posts: [{ ...message, ts: '18.1', gone: ['17.1'] }] }],
    [
      'has replies',
      {
        posts: [
          { ...message, ts: '17.1' },
          { ...message, name: 'overflow-1', ts: '17.2' },
        ],
      },
    ],
    ['is not known any more', { watch: { state: 'unknown', why: 'gone', nextAt: NOW } }],
    ['is not shown', { update: { tries: 2, gaveUpOn: stateKey(WAITING) } }],
    [
      'has clicks, ballots and sentences',
      {
        queue: [{ ...asker, id: 'c1', action: 'approve' }],
        ballots: [{ user: 'U0BEN', action: 'reject', at: NOW }],
        replies: [{ ...asker, id: '1', about: 'progress', text: 'Noted.', via: 'ephemeral' }],
      },
    ],
  ])('is read back unchanged when it %s', (_, change) => {
    const approval = approvalWith(change);
    expect(keptAndRead(approval)).toEqual(approval);
  });

  test('omits defaults and empty members', () => {
    const waiting = approvalWith({
      source: 'default',
      route: 'default',
      shown: stateKey(WAITING),
      watch: { state: 'pending', nextAt: NOW + 60_000, checkedAt: NOW },
    });
    expect(JSON.parse(encodeApproval(waiting))).toMatchInlineSnapshot(`
      {
        "createdAt": 1790000000000,
        "message": "To production?",
        "shown": "8yCGTl9S",
        "title": "Deploy 4.2",
        "token": "sealed-token",
        "v": 3,
        "watch": {
          "checkedAt": 1790000000000,
          "nextAt": 1790000060000,
        },
      }
    `);
  });

  test('with a reply that has no words is an error', () => {
    const owing = owe(approvalWith(), asker, 'state', { code: 'waiting' });
    expect(() => encodeApproval(owing)).toThrow('only with its words');
    expect(keptAndRead(inWords(owing)).replies).toMatchObject([
      { text: said({ code: 'waiting' }) },
    ]);
  });

  test('in an unknown format is an error', () => {
    const place = placeOf(approvalWith());
    for (const data of ['{"v":2}', '{"v":6}', '{}']) {
      expect(() => decodeApproval({ data, place })).toThrow('an unknown format');
    }
    const data = encodeApproval(approvalWith());
    expect(() => decodeApproval({ data, place: null })).toThrow('an unknown format');
  });
});
