import { expect, test } from 'vitest';
import {
  AUDIT,
  approval,
  audited,
  call,
  evidence,
  found,
  message,
  press,
  told,
} from './evidence-of.ts';

const BEN = { person: 'U0BEN' } as const;
const counted = audited('approvals.ballot', 'U0BEN', { action: 'approve' });
const WRONG =
  'unanswered the decision that their approval was part of was refused, and they did not read so';
const SENTENCES = [
  'Your approval of <it> no longer counts, because the decision it was part of could not be carried out. Press again.',
  'Your approval of <it> no longer counts: you are now a guest. Press again.',
  "Request <it>: Gatepost could not read the service's response. Your approval was not sent. Press Check now to check again.",
];
const progress = told('Your approval of <it> counts: 1 of 2. 1 more approval is needed.', {
  ...BEN,
  at: 29_500,
});
const refusedTold = told(
  "Request <it>: The service refused Gatepost's request, so your decision was not accepted. Ask somebody.",
);

/** Ben and Ana approved, and the service answered that it does not let Gatepost do that. */
const failed = (status: number | null = 403) => ({
  approvals: [approval({ quorum: 2, effects: [], calls: [call({ status })] })],
  messages: [message([[10_000, ':hourglass: *Waiting for a decision*']])],
  presses: [press({ ...BEN, at: 29_000, acknowledgedAt: 29_100 }), press()],
  told: [progress, refusedTold],
  audit: [...AUDIT.slice(0, 1), counted, ...AUDIT.slice(1, 3)],
});

test('the checker reports that nobody told the others about a decision that the service refused', () => {
  expect(found(failed())).toContain(WRONG);
  for (const text of SENTENCES)
    expect(found({ ...failed(), told: [progress, refusedTold, told(text, BEN)] })).not.toContain(
      WRONG,
    );
});

test('but not of somebody whose own was refused before it was noted', () => {
  const earlier = told(refusedTold.text, { ...BEN, at: 29_500 });
  expect(found({ ...failed(), told: [earlier, refusedTold] })).not.toContain(WRONG);
});

test('but not of the account of somebody who was told by their other one', () => {
  const second = (serviceUser: string) => [
    ...evidence().rights,
    { at: 0, person: 'U0BEN2', can: true, serviceUser },
  ];
  const elsewhere = told(SENTENCES[0] ?? '', { person: 'U0BEN2' });
  const seen = { ...failed(), told: [progress, refusedTold, elsewhere] };
  expect(found({ ...seen, rights: second('ben') })).not.toContain(WRONG);
  expect(found({ ...seen, rights: second('dana') })).toContain(WRONG);
});

test('nor if that became theirs only just before', () => {
  const { rightMs } = evidence().limits;
  const rights = [
    ...evidence().rights,
    { at: 0, person: 'U0BEN2', can: false, serviceUser: 'dana' },
    { at: call().at - rightMs + 100, person: 'U0BEN2', can: true, serviceUser: 'ben' },
  ];
  const elsewhere = told(SENTENCES[0] ?? '', { person: 'U0BEN2' });
  const seen = { ...failed(), told: [progress, refusedTold, elsewhere] };
  expect(found({ ...seen, rights })).not.toContain(WRONG);
});

test('but not if it may go on, or nobody could tell them', () => {
  expect(found(failed(429))).not.toContain(WRONG);
  expect(found(failed(null))).not.toContain(WRONG);
  expect(found({ ...failed(), told: [progress] })).not.toContain(WRONG);
  const late = [...AUDIT.slice(0, 3), counted];
  expect(found({ ...failed(), audit: late })).not.toContain(WRONG);
  const takeBack = {
    person: 'U0BEN',
    approval: 'A1',
    at: 29_800,
    acknowledgedAt: 29_900,
    shown: null,
  };
  expect(found({ ...failed(), takeBacks: [takeBack] })).not.toContain(WRONG);
  const gone = { at: 39_000, ...BEN, can: false, gone: true, serviceUser: null };
  expect(found({ ...failed(), rights: [...evidence().rights, gone] })).not.toContain(WRONG);
  const lapse = { from: 20_000, at: 29_400, keptAcknowledged: false };
  expect(found({ ...failed(), lapses: [lapse] })).not.toContain(WRONG);
});
