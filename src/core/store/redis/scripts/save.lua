-- Saves the records of lease holders, and renews or ends the leases.
-- KEYS  1 due index of the lane people  2 of the lane background  3 audit  4 its chain, then for each record:
--       1 record  2 inbox  3… of each list named  … unique key (left out when there is none)
-- ARGV  1 not after, then as `withEach` takes them, for each record:
--       1 token  2 the token as this save leaves it, which it is already after one without an answer  3 member
--       4 data  5 place, '=' when place and data stay as they are
--       6 'keep' | 'release' | 'finish'  7 lane to be released to
--       8 due at, or how long to keep a finished record in ms
--       9 number of handled signals, then their ids, then the number of lists named, '' when none can change, then
--       each list's name and '1' if the record is to be on it, then audit entries
-- Gives {'late', now} | {'done', now, for each record:
--       {'lost'} | {'unnamed', lists it is on that were not named}: nothing of it was written
--       | {'saved', 1 if the lease ended, inbox}}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local people, background = KEYS[1], KEYS[2]

-- Adds a record to lists and removes it from others, where that is a change; returns the text that stores them.
local function move(member, positions, key, arg, named, isFinished)
  local lists = ''
  for i = 0, named - 1 do
    local few, many = KEYS[key + 2 * i], KEYS[key + 1 + 2 * i]
    local name = ARGV[arg + 2 * i]
    local position = positions[name]
    if ARGV[arg + 1 + 2 * i] == '1' and not isFinished then
      lists = lists .. ' ' .. listText(name, position or putOn(few, many, member))
    elseif position then
      takeOff(position, few, many, member)
    end
  end
  return lists
end

local function renew(member, unread)
  if unread or not redis.call('ZSCORE', background, member) then
    setDue(people, background, member, silentUntil(0, now))
  else
    redis.call('ZADD', background, silentUntil(0, now), member)
  end
end

local function release(record, unique, member, lane, dueAt)
  local isForPeople = lane == 'people'
  local isNew
  if isForPeople then
    isNew = setDue(people, background, member, dueAt)
  else
    isNew = setDue(background, people, member, dueAt)
  end
  -- Only a record that was finished has a lifetime, and such a record is not in the background.
  if (isNew or isForPeople) and redis.call('PERSIST', record) == 1 and unique then
    redis.call('PERSIST', unique)
  end
end

local function finish(record, unique, member, keepMs)
  redis.call('ZREM', people, member)
  redis.call('ZREM', background, member)
  redis.call('PEXPIRE', record, keepMs)
  if unique then
    redis.call('PEXPIRE', unique, keepMs)
  end
end

local function save(key, lastKey, arg, lastArg)
  local record, inboxKey = KEYS[key], KEYS[key + 1]
  local token, renewed, member, data, place, next =
    ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3], ARGV[arg + 4], ARGV[arg + 5]
  local listsAt = arg + 9 + ARGV[arg + 8]
  local named = tonumber(ARGV[listsAt])
  -- For an unchanged record only the lease is read and written.
  local isSame = place == '=' and not named
  local text = isSame and redis.call('GETRANGE', record, 0, LEASE_LENGTH - 1) or redis.call('GET', record)
  if not text or tokenIn(text) ~= token and tokenIn(text) ~= renewed then
    return { 'lost' }
  end

  local kind, uniqueKey, positions
  if not isSame then
    local oldPlace, oldData
    oldPlace, kind, uniqueKey, oldData = partsIn(text)
    if place == '=' then
      place, data = oldPlace, oldData
    end
  end
  if named then
    kind, positions = readKind(kind)
    local unnamed = unlistedNames(positions, listsAt + 1, named)
    if #unnamed > 0 then
      return { 'unnamed', unnamed }
    end
  end

  for i = arg + 9, listsAt - 1 do
    redis.call('HDEL', inboxKey, ARGV[i])
  end
  appendAudit(KEYS[3], KEYS[4], now, listsAt + 1 + 2 * (named or 0), lastArg)
  local inbox = redis.call('HGETALL', inboxKey)
  local unread = #inbox > 2
  if #inbox == 2 then
    redis.call('DEL', inboxKey)
  end

  local isKept = next == 'keep' or unread
  local lease = isKept and leaseText(0, renewed, now + LEASE_MS) or FREE
  if isSame then
    redis.call('SETRANGE', record, 0, lease)
  else
    if named then
      kind = kind .. move(member, positions, key + 2, listsAt + 1, named, next == 'finish' and not isKept)
    end
    local parts = { lease, place, kind, uniqueKey, data }
    redis.call('SET', record, table.concat(parts, '\n'), 'KEEPTTL')
  end

  if isKept then
    renew(member, unread)
    return { 'saved', 0, inbox }
  end
  local uniqueAt = key + 2 + 2 * (named or 0)
  local unique = uniqueAt <= lastKey and KEYS[uniqueAt]
  if next == 'finish' then
    finish(record, unique, member, ARGV[arg + 7])
  else
    release(record, unique, member, ARGV[arg + 6], ARGV[arg + 7])
  end
  return { 'saved', 1, {} }
end

local answer = withEach(4, now, save)
keepChain(KEYS[4])
return answer
