-- Precedes every script, after the values from TypeScript: LEASE_MS, PATIENT_CLAIMS, and laterRetriesMs(), a list for
-- PATIENT_CLAIMS, one more and so on; its last value applies to all above.
--
-- A record is a string of five parts, LF after each of the first four:
--   lease: '<claims> <token> <lease end>', always as long as NOBODY, so that it is overwritten in place
--   place: '<channel> <message>', or ''
--   kind, followed by its lists, each after a space, as in `lists.lua`
--   unique key as JSON, or ''
--   data
-- An inbox is a hash of signal id to '<number> <time> <body>'; its field '' counts the numbers.
-- A due index is a sorted set of record members by the time when they are due.

local LEASE_FORMAT = '%05d %s %013d'
local LEASE_LENGTH = 36
local PLACE_AT = 38
local NOBODY = '----------------'
local MOST_CLAIMS = 99999

local startedAt = redis.call('TIME')

-- The server's time, in ms.
local SERVER = startedAt[1] * 1000 + math.floor(startedAt[2] / 1000)
-- The last key of every script holds the store's time: '<time>', or '<time> <server's time then>' while it is ahead of
-- the server's.
local CLOCK = KEYS[#KEYS]
-- How often a script saves the time if it writes nothing else.
local KEEP_MS = 1000
-- The speed of time while it is ahead of the server's, until that has caught up.
local CATCHING_UP = 0.9

-- The store's time never goes back, even if the server's clock is set back, or another server's is behind.
local function timeAfter(kept)
  local last = tonumber(kept)
  if not kept or last and last <= SERVER then
    return SERVER
  end
  local at = last
  if not last then
    last, at = string.match(kept, '^(%S+) (%S+)$')
  end
  return math.max(SERVER, last + math.max(0, SERVER - at) * CATCHING_UP)
end

local function keep(call, kept, now)
  if now > SERVER then
    call('SET', CLOCK, string.format('%.1f %.0f', now, SERVER))
  elseif tonumber(kept) ~= SERVER then
    call('SET', CLOCK, SERVER)
  end
end

-- For scripts that write.
local function storeNow()
  local kept = redis.call('GET', CLOCK)
  local now = timeAfter(kept)
  keep(redis.call, kept, now)
  return math.floor(now)
end

-- For the script that finds due records: it advances the time when nothing is written. Works even if writes fail.
local function polledNow()
  local kept = redis.call('GET', CLOCK)
  local now = timeAfter(kept)
  local at = tonumber(string.match(kept or '', '%S+$'))
  if not at or SERVER < at or SERVER - at >= KEEP_MS then
    keep(redis.pcall, kept, now)
  end
  return math.floor(now)
end

-- For scripts that only read.
local function readNow()
  return math.floor(timeAfter(redis.call('GET', CLOCK)))
end

local function claimsIn(text)
  return tonumber(string.sub(text, 1, 5))
end

local function tokenIn(text)
  return string.sub(text, 7, 22)
end

local function leaseEndIn(text)
  return tonumber(string.sub(text, 24, LEASE_LENGTH))
end

local function placeIn(text)
  return string.match(text, '^[^\n]*', PLACE_AT)
end

-- Returns place, kind with lists, unique key and data.
local function partsIn(text)
  return string.match(text, '^([^\n]*)\n([^\n]*)\n([^\n]*)\n(.*)', PLACE_AT)
end

-- A record without its lease.
local function withoutLease(text)
  return string.sub(text, PLACE_AT)
end

local function leaseText(claims, token, ends)
  return string.format(LEASE_FORMAT, math.min(claims, MOST_CLAIMS), token, ends)
end

-- The lease of a record that nobody holds.
local FREE = leaseText(0, NOBODY, 0)

-- When a record that is leased now is due again if its holder goes silent.
local function silentUntil(claims, now)
  if claims < PATIENT_CLAIMS then
    return now + LEASE_MS
  end
  local retriesMs = laterRetriesMs()
  return now + retriesMs[math.min(claims - PATIENT_CLAIMS + 1, #retriesMs)]
end

-- A record is in one lane or in none. True when it was not in this one before.
local function setDue(lane, otherLane, member, dueAt)
  if redis.call('ZADD', lane, dueAt, member) == 0 then
    return false
  end
  redis.call('ZREM', otherLane, member)
  return true
end

-- Calls `act` for each record of a script for several records. After the first argument come, for each record, the
-- numbers of its keys and arguments, then its arguments; its keys follow the shared ones, in order.
-- Gives {'done', now, the result of act for each}.
local function withEach(shared, now, act)
  local answer = { 'done', now }
  local key, arg = shared + 1, 2
  while ARGV[arg] do
    local lastKey, lastArg = key + ARGV[arg] - 1, arg + 1 + ARGV[arg + 1]
    answer[#answer + 1] = act(key, lastKey, arg + 2, lastArg)
    key, arg = lastKey + 1, lastArg + 1
  end
  return answer
end
