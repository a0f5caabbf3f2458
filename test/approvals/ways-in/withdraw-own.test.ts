import { expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import { encodeApproval } from '../../../src/approvals/stored-approval.ts';
import { withdrawOwn } from '../../../src/approvals/ways-in/withdraw-own.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Lookup, PeopleLookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import type { Store, StoredRecord } from '../../../src/core/store/store.ts';
import { coreWith, NO_BOX } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { approvalWith } from '../approvals.ts';

const { token: _, ...GATE } = approvalWith({ key: 'k', requester: { user: 'U0CLEO' } });

/** Presses Withdraw; returns the answer, and the signals that were stored. */
async function pressed(
  user: string,
  approval: Approval | null = GATE,
  person: () => Promise<Partial<SlackPerson>> = async () => ({ id: user, globalId: null }),
) {
  const signals: unknown[] = [];
  const core = coreWith({
    store: fake<Store>({
      now: () => 0,
      read: async () =>
        approval === null
          ? undefined
          : fake<StoredRecord>({
              id: '0-a',
              kind: 'approval',
              data: encodeApproval(approval),
              place: { channel: 'C0PROD', message: '17.1' },
            }),
      signal: async (_id, { body }) => {
        signals.push(JSON.parse(body));
        return { kind: 'queued' };
      },
    }),
    reconciler: { hasRoom: true, run: async () => {} },
    lookup: fake<Lookup>({
      // as: nothing else is read
      recent: fake<PeopleLookup>({ person: person as PeopleLookup['person'] }),
    }),
    timers: systemTimers,
    box: NO_BOX,
    timing: TRUE_TIME,
  });
  const { kind } = await withdrawOwn(core, {
    ...{ record: '0-a', press: 'p1', trigger: 't1', user, channel: 'C0PROD' },
    ...{ message: null, responseUrl: null, title: 'Deploy 4.2' },
  });
  return { kind, signals };
}

const CLEOS = { kind: 'withdraw', asker: { user: 'U0CLEO', channel: 'C0PROD', direct: true } };

test('a withdrawal by the requester is stored, under whichever of their Slack ids', async () => {
  expect(await pressed('U0CLEO')).toEqual({ kind: 'stored', signals: [CLEOS] });
  const enterprise = async () => ({ id: 'T1CLEO', globalId: 'U0CLEO' });
  expect((await pressed('T1CLEO', GATE, enterprise)).kind).toBe('stored');
});

test('one by somebody else, or of an approval of the service, is not', async () => {
  const ofService = approvalWith({ requester: { user: 'U0CLEO' } });
  const ofNobody: Approval = { ...GATE, requester: { name: 'U0CLEO' } };
  for (const [user, approval] of [
    ['U0ANA', GATE],
    ['U0CLEO', ofService],
    ['U0CLEO', ofNobody],
  ] as const) {
    expect(await pressed(user, approval)).toEqual({ kind: 'not-yours', signals: [] });
  }
});

test('nor one that could not be checked, or whose request is gone', async () => {
  const away = () =>
    Promise.reject(new RemoteFailure('users.info', { class: 'ambiguous', code: 'timeout' }));
  expect(await pressed('T1CLEO', GATE, away)).toEqual({ kind: 'unchecked', signals: [] });
  expect(await pressed('U0CLEO', null)).toEqual({ kind: 'missing', signals: [] });
});
