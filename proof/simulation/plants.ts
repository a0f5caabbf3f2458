import type { Approval } from '../../src/approvals/approval.ts';
import { DENIED } from '../../src/approvals/lists.ts';
import { decodeApproval, encodeApproval } from '../../src/approvals/stored-approval.ts';
import type { Connect, Exchanged, WireRequest } from '../../src/core/http/exchange.ts';
import type { Memory } from '../../src/core/store/memory/memory-store.ts';
import type { Change, Store } from '../../src/core/store/store.ts';
import { inboxOf } from '../../src/core/store/tables/inbox.ts';
import { HOOKS } from './receiver.ts';
import type { Replica } from './replica.ts';
import { ROUTES } from './settings.ts';

/** A bug, planted between the product and its store or its network. A new one for each world. */
export interface Plant {
  /** Wraps the shared store, as if the store had the bug. */
  readonly near?: (store: Store, memory: Memory) => Store;
  /** Wraps the store as a replica sees it, as if the replica used it wrongly. */
  readonly far?: (store: Store, replica: Replica) => Store;
  /** Wraps outgoing requests. */
  readonly connect?: (connect: Connect, replica: Replica) => Connect;
}

/** Mistakes that are easily made. A checker that does not find each of them proves nothing. */
export const PLANTS: Readonly<Record<string, () => Plant>> = {
  /** The click is acknowledged, and written a second later. */
  'acknowledge-before-storing': () => ({
    far: (store, replica) =>
      over(store, {
        async signal(id, signal, options) {
          if (options.once !== true) return store.signal(id, signal, options);
          const write = () => store.signal(id, signal, { ...options, hold: false });
          replica.later(1_000, () => void write().catch(() => undefined));
          return { kind: 'queued' };
        },
      }),
  }),

  /** The attempt is not noted before it is sent. */
  'no-attempt-note': () => ({
    far: (store) =>
      over(store, {
        save: (lease, change) =>
          store.save(lease, change.next.kind === 'keep' ? edited(change, withoutAttempts) : change),
      }),
  }),

  /** A holder that lost the lease can still write. */
  'dropped-fence': () => ({
    near: (store, memory) =>
      over(store, {
        async save(lease, change) {
          const { records } = memory.begin().tables;
          const row = records.get(lease.id);
          if (row !== undefined) records.putSync(lease.id, { ...row, token: lease.token });
          return store.save(lease, change);
        },
      }),
  }),

  /** After a lost answer it is assumed that nothing was done. */
  'repeat-without-a-look': () => {
    const lost = new Set<string>();
    return {
      connect: intercepting(async ({ method, path }, _replica, send) => {
        if (!path.includes('/automation/approvals/')) return send();
        if (method === 'GET' && lost.has(path)) return answered({ status: 'PENDING' });
        const end = await send();
        const isKnown = end.kind === 'answered' && end.status < 500 && end.body !== null;
        if (method === 'POST' && !isKnown) lost.add(path);
        return end;
      }),
    };
  },

  /** Accounts are read once, and never again. */
  'stale-account': () => ({
    connect: (connect, replica) => {
      const known = new Map<string, Exchanged>();
      return intercepting(async ({ method, path, body }, _replica, send) => {
        const isAccount = method === 'GET' && path.includes('/scim/');
        if (!isAccount && !path.endsWith('/users.info')) return send();
        const key = `${path} ${body}`;
        const end = known.get(key) ?? (await send());
        if (end.kind === 'answered' && end.status === 200) known.set(key, end);
        return end;
      })(connect, replica);
    },
  }),

  /** A save also removes signals that arrived while the holder worked. */
  'lost-signal-on-hand-over': () => ({
    near: (store, memory) =>
      over(store, {
        async save(lease, change) {
          if (change.next.kind === 'keep') return store.save(lease, change);
          const inbox = inboxOf(memory.begin().tables, lease.id);
          return store.save(lease, { ...change, handled: inbox.map(({ id }) => id) });
        },
      }),
  }),

  /** After a crash it is posted again without searching for it. */
  'post-without-search': () => ({
    connect: intercepting(async ({ path }, _replica, send) =>
      /conversations\.(history|replies)$/.test(path)
        ? answered({ ok: true, messages: [], has_more: false })
        : send(),
    ),
  }),

  /** Updates are sent and not awaited. */
  'update-that-overtakes': () => ({
    connect: intercepting(async ({ path, body }, replica, send) => {
      if (!path.endsWith('/chat.update')) return send();
      const args = new URLSearchParams(body ?? '');
      const [channel, ts] = [args.get('channel'), args.get('ts')];
      // The longer the text, the longer its delay.
      replica.later((body?.length ?? 0) % 4_001, () => void send());
      return answered({ ok: true, channel, ts, text: args.get('text') });
    }),
  }),

  /** Two approvals by one person count as two. */
  'quorum-counted-twice': () => {
    const seen = new Map<string, string[]>();
    return {
      far: (store) =>
        over(store, {
          signal(id, signal, options) {
            const body = JSON.parse(signal.body);
            if (body.kind !== 'ballot') return store.signal(id, signal, options);
            const voters = seen.get(id) ?? [];
            const user = String(body.asker.user);
            const isAgain = voters.includes(user);
            seen.set(id, [...voters, user]);
            if (!isAgain) return store.signal(id, signal, options);
            const others = ROUTES.flatMap(({ quorum, reviewers }) => (quorum > 1 ? reviewers : []));
            const other = others.find((each) => !voters.includes(each)) ?? user;
            const counted = { ...body, asker: { ...body.asker, user: other } };
            return store.signal(id, { ...signal, body: JSON.stringify(counted) }, options);
          },
        }),
    };
  },

  /** Approvals whose read the service denied are no longer polled. */
  'denied-polled-no-more': () => {
    const denied = new Set<string>();
    return {
      far: (store) =>
        over(store, {
          async save(lease, change) {
            const { id } = lease;
            // Reported when they change.
            if (change.lists?.includes(DENIED)) denied.add(id);
            else if (change.lists !== undefined) denied.delete(id);
            const isDenied = denied.has(id) && change.next.kind === 'release';
            const next = { kind: 'finish', keepMs: 86_400_000 } as const;
            return store.save(lease, isDenied ? { ...change, next } : change);
          },
        }),
    };
  },

  /** The log is written some time after the event. */
  'audit-outside-the-save': () => ({
    far: (store, replica) =>
      over(store, {
        async save(lease, change) {
          const saved = await store.save(lease, { ...change, audit: [] });
          const write = () => Promise.all(change.audit.map((entry) => store.writeAudit(entry)));
          if (saved.kind === 'saved')
            replica.later(1_000, () => void write().catch(() => undefined));
          return saved;
        },
      }),
  }),

  /** A decision whose answer was lost is forgotten, so that anybody can decide again at once. */
  'opposite-answer-after-an-ambiguous-one': () => ({
    far: (store) =>
      over(store, {
        save: (lease, change) => store.save(lease, edited(change, withoutUnclear)),
      }),
  }),

  /** A callback is sent once, whatever its receiver answers. */
  'callback-sent-once': () => ({
    connect: intercepting(async ({ path }, _replica, send) => {
      const end = await send();
      return path.startsWith(HOOKS) ? answered({}) : end;
    }),
  }),
};

/** The same store, with some of its methods replaced. */
function over(store: Store, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(own, name) ?? Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

type Intercept = (
  request: WireRequest,
  replica: Replica,
  send: () => Promise<Exchanged>,
) => Promise<Exchanged>;

function intercepting(intercept: Intercept): NonNullable<Plant['connect']> {
  return (connect, replica) => (options) => {
    const connections = connect(options);
    return {
      ...connections,
      send: (request, limits) =>
        intercept(request, replica, () => connections.send(request, limits)),
    };
  };
}

function answered(body: object): Exchanged {
  const headers = { 'content-type': 'application/json' };
  const bytes = Buffer.from(JSON.stringify(body));
  return { kind: 'answered', status: 200, headers, body: bytes, code: 'complete' };
}

/** A saved approval, changed. */
function edited(change: Change, edit: (approval: Approval) => Approval): Change {
  const { data, place } = change;
  if (data === null || place === null || !data.includes('"watch"')) return change;
  const approval = decodeApproval({ data, place });
  const after = edit(approval);
  return after === approval ? change : { ...change, data: encodeApproval(after) };
}

function withoutAttempts(approval: Approval): Approval {
  const { decision } = approval;
  const posts = approval.posts.map(({ attempt: _, ...post }) => post);
  if (decision?.phase.name !== 'sending') return { ...approval, posts };
  const { sends } = decision.phase;
  const phase = { name: 'check', tries: 0, notBefore: 0, sends } as const;
  return { ...approval, posts, decision: { ...decision, phase } };
}

function withoutUnclear(approval: Approval): Approval {
  const { decision, unconfirmed: _, ...rest } = approval;
  return decision?.phase.name === 'settle' ? rest : approval;
}
