-- Stands before every script. Before it stands what TypeScript names: LEASE_MS, AUDIT_MS, PATIENT_CLAIMS, and
-- laterRetriesMs(), a list for PATIENT_CLAIMS, one more and so on; its last holds for all above.
--
-- A record is a string of five parts, LF after each of the first four:
--   lease: '<claims> <token> <lease end>', always as long as NOBODY, so that it is overwritten in place
--   place: '<channel> <message>', or ''
--   kind, and behind a space each its lists, as in `lists.lua`
--   unique key as JSON, or ''
--   data
-- An inbox is a hash of signal id to '<number> <time> <body>'; its field '' counts the numbers.
-- A due index is a sorted set of record members by the time when they are due.

local LEASE_FORMAT = '%05d %s %013d'
local NOBODY = '----------------'
local MOST_CLAIMS = 99999

local function storeNow()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Gives claims, token, lease end, place, where the kind, the unique key and the data begin.
local function readHead(text)
  local claims, token, ends, place, kindAt, keyAt, dataAt =
    string.match(text, '^(%d+) (%S+) (%d+)\n([^\n]*)\n()[^\n]*\n()[^\n]*\n()')
  return tonumber(claims), token, tonumber(ends), place, kindAt, keyAt, dataAt
end

-- All of a record that is not its lease.
local function withoutLease(text)
  return string.sub(text, 38)
end

local function leaseText(claims, token, ends)
  return string.format(LEASE_FORMAT, math.min(claims, MOST_CLAIMS), token, ends)
end

-- When a record that is given out now is due again if its holder goes silent.
local function silentUntil(claims, now)
  if claims < PATIENT_CLAIMS then
    return now + LEASE_MS
  end
  local retriesMs = laterRetriesMs()
  return now + retriesMs[math.min(claims - PATIENT_CLAIMS + 1, #retriesMs)]
end

local function setDue(lane, otherLane, member, dueAt)
  redis.call('ZADD', lane, dueAt, member)
  redis.call('ZREM', otherLane, member)
end

-- Audit entries are the arguments from `first` on: action, record, actor, facts; again and again.
local function appendAudit(stream, now, first)
  for i = first, #ARGV, 4 do
    redis.call('XADD', stream, 'MINID', '~', math.max(now - AUDIT_MS, 0), '*',
      'a', ARGV[i], 'r', ARGV[i + 1], 'w', ARGV[i + 2], 'f', ARGV[i + 3])
  end
end
