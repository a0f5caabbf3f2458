import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Message } from '../../sandbox/wire.ts';
import type {
  ApprovalSeen,
  AuditSeen,
  Effect,
  Evidence,
  Interruption,
  Lapse,
  MessageSeen,
  RightsChange,
  ServiceCall,
  Told,
  Version,
} from '../simulation/evidence.ts';
import type { Gate } from './gate.ts';

/** Collects the evidence of a round while it runs. */
export class Observer {
  readonly gates: Gate[] = [];
  readonly rights: RightsChange[] = [];
  readonly lapses: Lapse[] = [];
  readonly interruptions: Interruption[] = [];
  readonly #messages = new Map<
    string,
    { seen: MessageSeen; versions: Version[]; deletedAt: number | null }
  >();
  /** The current message of each record. */
  readonly #current = new Map<string, { channel: string; ts: string }>();

  /** A message was written or changed. */
  wrote(message: Message, channel: string): void {
    const { ts, text, blocks = [], metadata, subtype } = message;
    if (subtype === 'tombstone') return;
    const key = `${channel} ${ts}`;
    const version: Version = {
      at: Date.now(),
      text,
      blocks,
      metadata: metadata?.event_payload ?? null,
    };
    const known = this.#messages.get(key);
    if (known !== undefined) {
      known.versions.push(version);
      return;
    }
    const versions = [version];
    const kept = {
      versions,
      deletedAt: null as number | null, // as: it is deleted later
      seen: {
        channel,
        ts,
        versions,
        get deletedAt() {
          return kept.deletedAt;
        },
      },
    };
    this.#messages.set(key, kept);
    const { record, post } = version.metadata ?? {};
    if (typeof record === 'string' && String(post).startsWith('message')) {
      this.#current.set(record, { channel, ts });
    }
  }

  /** Somebody deletes it. */
  deletes({ channel, ts }: { readonly channel: string; readonly ts: string }): void {
    const known = this.#messages.get(`${channel} ${ts}`);
    if (known !== undefined) known.deletedAt = Date.now();
  }

  /** The current message of an approval, unless it was deleted. */
  placeOf({ intake }: Gate): { readonly channel: string; readonly ts: string } | undefined {
    const record = intake.findLast((each) => each.record !== null)?.record;
    const place = this.#current.get(record ?? '');
    if (place === undefined) return undefined;
    return this.#messages.get(`${place.channel} ${place.ts}`)?.deletedAt === null
      ? place
      : undefined;
  }

  latest({ channel, ts }: { readonly channel: string; readonly ts: string }): Version | undefined {
    return this.#messages.get(`${channel} ${ts}`)?.versions.at(-1);
  }

  /** @param audit null: it was not read yet, so own gates cannot be checked and are left out. */
  evidence(sandbox: Sandbox, audit: readonly AuditSeen[] | null): Evidence {
    const gates = this.gates.filter(({ token }) => audit !== null || token !== null);
    const calls = callsByToken(sandbox);
    return {
      approvals: gates.map((gate) => seenOf(gate, sandbox, calls)),
      messages: [...this.#messages.values()].map(({ seen }) => seen),
      told: toldIn(sandbox),
      presses: gates.flatMap(({ presses }) => presses),
      commands: [],
      operations: [],
      callbacks: null,
      rights: this.rights,
      audit,
      lapses: this.lapses,
      interruptions: this.interruptions,
      limits: { quietMs: 10_000, resumeMs: 15_000, rightMs: 30_000 },
    };
  }
}

function seenOf(gate: Gate, { service }: Sandbox, calls: Calls): ApprovalSeen {
  const { name, token, title, channel, madeAt, deadlineAt, route, requester } = gate;
  const state = token === null ? undefined : service.approval(token);
  const effects: Effect[] = (state?.effects ?? []).map(({ action, at, through, userId }) => ({
    at: Date.parse(at),
    status: action === 'approve' ? 'APPROVED' : 'REJECTED',
    how: through,
    serviceUser: userId,
  }));
  if (state?.status === 'TIMED_OUT' && state.resolvedAt !== null) {
    const at = Date.parse(state.resolvedAt);
    effects.push({ at, status: 'TIMED_OUT', how: 'deadline', serviceUser: null });
  }
  return {
    name,
    authority: token === null ? 'gatepost' : 'service',
    title,
    channel,
    madeAt,
    deadlineAt,
    quorum: route.quorum,
    reviewers: route.reviewers.filter((each) => each !== requester),
    intake: gate.intake,
    withdrawals: gate.withdrawals,
    effects,
    calls: calls.get(token ?? '') ?? [],
    announced: ['outcome-request', ...(requester === null ? [] : ['outcome-requester'])],
  };
}

type Calls = ReadonlyMap<string, readonly ServiceCall[]>;

function callsByToken({ service }: Sandbox): Calls {
  const calls = new Map<string, ServiceCall[]>();
  for (const { operation, token, body, at, answered } of service.requests()) {
    if (token === null || (operation !== 'getApproval' && operation !== 'respond')) continue;
    const { action, userId } = Object(body);
    const own = calls.get(token) ?? [];
    own.push({
      operation: operation === 'respond' ? 'respond' : 'read',
      at,
      status: answered === 0 ? null : answered,
      readable: true,
      action: action === 'approve' || action === 'reject' ? action : null,
      serviceUser: typeof userId === 'string' ? userId : null,
    });
    calls.set(token, own);
  }
  return calls;
}

/** All private replies; answered, if every call with this text was. */
function toldIn({ workspace }: Sandbox): Told[] {
  const lost = new Map<string, number>();
  for (const method of ['response_url', 'chat.postEphemeral', 'chat.postMessage']) {
    for (const { args, status } of workspace.calls(method)) {
      if (status === 200 || typeof args.text !== 'string') continue;
      lost.set(args.text, (lost.get(args.text) ?? 0) + 1);
    }
  }
  const said = PEOPLE.flatMap((person) => [
    ...workspace.ephemerals(person).map((each) => ({ person, ...each })),
    ...workspace
      .directMessages(person)
      .filter(({ metadata }) => metadata === undefined)
      .map((each) => ({ person, channel: `D${person.slice(1)}`, ...each })),
  ]);
  return said.map(({ person, channel, ts, text }) => ({
    at: Number(ts) * 1_000,
    person,
    channel,
    text,
    answered: !lost.has(text),
  }));
}

export const PEOPLE = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA', 'U0UNA', 'U0GUS', 'U0IVO'] as const;
