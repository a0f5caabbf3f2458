import { check } from '../../../proof/simulation/checker.ts';
import type {
  ApprovalSeen,
  AuditSeen,
  CallbackSeen,
  Effect,
  Evidence,
  MessageSeen,
  Press,
  ServiceCall,
  Told,
} from '../../../proof/simulation/evidence.ts';

/** One approval that Ana approved, as it should be; each test breaks one thing of it. */

const TITLE = 'Deploy 4.2';
export const CHANNEL = 'C1';
export const TS = '10.000000';
export const RECORD = 'r1';

export const effect = (more: Partial<Effect> = {}): Effect => ({
  at: 40_000,
  status: 'APPROVED',
  how: 'interface',
  serviceUser: 'ana',
  ...more,
});

export const call = (more: Partial<ServiceCall> = {}): ServiceCall => ({
  operation: 'respond',
  at: 40_000,
  status: 200,
  readable: true,
  action: 'approve',
  serviceUser: 'ana',
  ...more,
});

export const press = (more: Partial<Press> = {}): Press => ({
  person: 'U0ANA',
  approval: 'A1',
  action: 'approve',
  at: 30_000,
  acknowledgedAt: 30_100,
  shown: null,
  ...more,
});

export const told = (text: string, more: Partial<Told> = {}): Told => ({
  at: 42_000,
  person: 'U0ANA',
  channel: CHANNEL,
  text: text.replace('<it>', `*<https://x.example.com/archives/${CHANNEL}/p10000000|${TITLE}>*`),
  answered: true,
  ...more,
});

export const WAITING = ':hourglass: *Waiting for a decision*';

/** A message that said these things at these moments. */
export const message = (
  said: readonly (readonly [at: number, words: string])[],
  more: Partial<MessageSeen> & { readonly post?: string; readonly record?: string } = {},
): MessageSeen => {
  const { post = 'message', record = RECORD, ...rest } = more;
  return {
    channel: CHANNEL,
    ts: TS,
    versions: said.map(([at, words]) => ({
      at,
      text: `Something: *${TITLE}*`,
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: words } }],
      metadata: { record, post },
    })),
    deletedAt: null,
    ...rest,
  };
};

export const approval = (more: Partial<ApprovalSeen> = {}): ApprovalSeen => ({
  name: 'A1',
  authority: 'service',
  title: TITLE,
  channel: CHANNEL,
  madeAt: 9_000,
  deadlineAt: null,
  quorum: 1,
  reviewers: ['U0ANA', 'U0BEN'],
  intake: [{ at: 9_100, answeredAt: 9_200, status: 202, record: RECORD }],
  withdrawals: [],
  effects: [effect()],
  calls: [call({ operation: 'read', at: 39_000, action: null, serviceUser: null }), call()],
  announced: ['outcome-thread'],
  ...more,
});

const entry = (action: string, actor: string, facts: AuditSeen['facts']): AuditSeen => ({
  action,
  record: RECORD,
  actor,
  facts,
});

export const AUDIT: readonly AuditSeen[] = [
  entry('approvals.post', 'gatepost', { post: 'message', channel: CHANNEL, ts: TS }),
  entry('approvals.ballot', 'U0ANA', { action: 'approve', serviceUser: 'ana' }),
  entry('approvals.respond', 'U0ANA', { action: 'approve', serviceUser: 'ana' }),
  entry('approvals.outcome', 'U0ANA', { status: 'APPROVED', credit: 'certain' }),
];

export const audited = entry;

export const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  approvals: [approval()],
  messages: [
    message([
      [10_000, WAITING],
      [41_000, ':white_check_mark: *Approved by <@U0ANA>* · just now'],
    ]),
    message([[41_500, ':white_check_mark: *Approved* after 30 s']], {
      post: 'outcome-thread',
      ts: '41.500000',
    }),
  ],
  told: [],
  presses: [press()],
  commands: [],
  operations: [],
  callbacks: null,
  rights: [
    { at: 0, person: 'U0ANA', can: true, serviceUser: 'ana' },
    { at: 0, person: 'U0BEN', can: true, serviceUser: 'ben' },
  ],
  audit: AUDIT,
  lapses: [],
  interruptions: [],
  limits: { quietMs: 10_000, resumeMs: 15_000, rightMs: 12_000 },
  ...more,
});

/** Everything that is wrong, as `kind what`. */
export const wrongIn = (more: Partial<Evidence>): string[] =>
  check(evidence(more)).map(({ kind, what }) => `${kind} ${what}`);
export const found = (more: Partial<Evidence>): string => wrongIn(more).join('\n');

/** What its receiver took when it was posted; each test changes something. */
export const calledBack = (more: Partial<CallbackSeen> = {}): CallbackSeen => ({
  at: 10_500,
  id: `${RECORD}-posted-10100`,
  isGenuine: true,
  isTaken: true,
  type: 'approval.posted',
  saidAt: 10_100,
  record: RECORD,
  key: null,
  status: 'PENDING',
  by: [],
  reason: null,
  digest: '',
  permalink: `https://x.example.com/archives/${CHANNEL}/p10000000`,
  ...more,
});

/** And when Ana had approved it. */
export const calledBackAtEnd = (more: Partial<CallbackSeen> = {}): CallbackSeen =>
  calledBack({
    at: 41_000,
    id: `${RECORD}-decided`,
    type: 'approval.decided',
    saidAt: 40_500,
    status: 'APPROVED',
    by: ['U0ANA'],
    ...more,
  });
