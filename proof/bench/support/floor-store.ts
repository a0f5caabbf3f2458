import { createHmac, randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';

/** What the floor keeps in Redis: a hash for each approval, an index of what is due, a signed and chained audit log. */
export interface FloorStore {
  /** Its id; for a token that exists already, the id of the first. */
  create(unique: string, approval: object, entry: Entry): Promise<{ id: string; isNew: boolean }>;
  /**
   * Stores a ballot, in `cast`. Returns the approval; undefined: the press was stored before, or nothing is pending.
   */
  cast(id: string, press: string, ballot: object): Promise<string | undefined>;
  /** Moves an approval from one state to the next. It is resumed later if it stays in that state. */
  move(id: string, move: Move): Promise<void>;
  /** Approvals that nobody moved for that long. */
  claim(): Promise<readonly Claimed[]>;
}

export type Entry = readonly [action: string, actor: string, facts: object];

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly entries?: readonly Entry[];
  /** Nothing is left to do. */
  readonly isLast?: true;
}

export interface Claimed {
  readonly id: string;
  readonly state: string;
  readonly approval: string;
  readonly ballot: string;
}

/** Another process moved it. */
export class Overtaken extends Error {}

const LEASE_MS = 12_000;

/** The last two keys of each script: the audit log and its last link. Entries are the arguments from `first` on. */
const AUDIT = `
local function append(first)
  local link = redis.call('GET', KEYS[#KEYS]) or '-'
  for i = first, #ARGV, 2 do
    link = redis.sha1hex(link .. '\\n' .. ARGV[i] .. '\\n' .. ARGV[i + 1])
    redis.call('XADD', KEYS[#KEYS - 1], '*', 'e', ARGV[i], 'm', ARGV[i + 1], 'l', link)
  end
  redis.call('SET', KEYS[#KEYS], link)
end
`;
// KEYS record, unique key, new ones · ARGV id, now, approval, entries
const CREATE = `${AUDIT}
if not redis.call('SET', KEYS[2], ARGV[1], 'NX') then return redis.call('GET', KEYS[2]) end
redis.call('HSET', KEYS[1], 'state', 'waiting', 'approval', ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
append(4)
return ARGV[1]`;
// KEYS record, press, due index · ARGV id, due at, ballot
const CAST = `
if redis.call('HGET', KEYS[1], 'state') ~= 'waiting' then return false end
if not redis.call('SET', KEYS[2], '', 'NX', 'PX', 900000) then return false end
redis.call('HSET', KEYS[1], 'state', 'cast', 'ballot', ARGV[3])
redis.call('ZADD', KEYS[3], ARGV[2], ARGV[1])
return redis.call('HGET', KEYS[1], 'approval')`;
// KEYS record, due index · ARGV id, due at or '', state before, state after, entries
const MOVE = `${AUDIT}
if redis.call('HGET', KEYS[1], 'state') ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'state', ARGV[4])
if ARGV[2] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1]) end
append(5)
return 1`;
// KEYS due index · ARGV now, due at
const CLAIM = `
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 100)
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], ARGV[2], id) end
return ids`;

const DUE = 'floor:due';
const LOG = ['floor:audit', 'floor:chain'] as const;

export async function openFloorStore(url: string, key: Buffer): Promise<FloorStore> {
  const redis = new Redis(url, { enableAutoPipelining: true });
  const load = async (lua: string) => String(await redis.script('LOAD', lua));
  const [create, cast] = await Promise.all([load(CREATE), load(CAST)]);
  const [move, claim] = await Promise.all([load(MOVE), load(CLAIM)]);
  const signed = (id: string, entries: readonly Entry[]) =>
    entries.flatMap(([action, actor, facts]) => {
      const entry = JSON.stringify([action, id, actor, facts]);
      return [entry, createHmac('sha256', key).update(entry).digest('base64url')];
    });
  return {
    async create(unique, approval, entry) {
      const made = randomBytes(12).toString('base64url');
      const keys = [recordKey(made), `floor:u:${unique}`, 'floor:new', ...LOG];
      const rest = [made, Date.now(), JSON.stringify(approval), ...signed(made, [entry])];
      const id = String(await redis.evalsha(create, keys.length, ...keys, ...rest));
      return { id, isNew: id === made };
    },
    async cast(id, press, ballot) {
      const keys = [recordKey(id), `floor:p:${id}:${press}`, DUE];
      const rest = [id, Date.now() + LEASE_MS, JSON.stringify(ballot)];
      const approval = await redis.evalsha(cast, keys.length, ...keys, ...rest);
      return typeof approval === 'string' ? approval : undefined;
    },
    async move(id, { from, to, entries = [], isLast }) {
      const keys = [recordKey(id), DUE, ...LOG];
      const due = isLast ? '' : Date.now() + LEASE_MS;
      const rest = [id, due, from, to, ...signed(id, entries)];
      if ((await redis.evalsha(move, keys.length, ...keys, ...rest)) !== 1) throw new Overtaken();
    },
    async claim() {
      const now = Date.now();
      // as: the script returns ids
      const ids = (await redis.evalsha(claim, 1, DUE, now, now + LEASE_MS)) as readonly string[];
      return Promise.all(
        ids.map(async (id) => {
          const { state = '', approval = '', ballot = '' } = await redis.hgetall(recordKey(id));
          return { id, state, approval, ballot };
        }),
      );
    },
  };
}

function recordKey(id: string): string {
  return `floor:r:${id}`;
}
