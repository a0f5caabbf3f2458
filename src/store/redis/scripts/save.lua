-- Writes what the holder of a lease made of the record, and renews or ends the lease.
-- KEYS  1 record  2 inbox  3 due index of the lane people  4 due index of the lane background
--       5 audit  6… of each list named  … unique key (left out when there is none)
-- ARGV  1 not after  2 token  3 member  4 data  5 place  6 'keep' | 'release' | 'finish'
--       7 lane to be released to  8 due at, or how long to keep a finished record in ms
--       9 number of handled signals, then their ids, then the number of lists named, '' when none can change, then
--       each list's name and '1' if the record is to be on it, then audit entries
-- Gives {'late', now} | {'lost', now} | {'unnamed', now, lists it is on that were not named}: nothing was written
--       | {'saved', now, 1 if the lease ended, inbox}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local text = redis.call('GET', KEYS[1])
if not text then
  return { 'lost', now }
end
local _, token, _, _, kindAt, keyAt, dataAt = readHead(text)
if token ~= ARGV[2] then
  return { 'lost', now }
end
local member, next = ARGV[3], ARGV[6]
local handled = tonumber(ARGV[9])
local listsAt = 10 + handled
local named = tonumber(ARGV[listsAt])
local kind, positions
if named then
  kind, positions = readKind(string.sub(text, kindAt, keyAt - 2))
  local unnamed = namesBesides(positions, listsAt + 1, named)
  if #unnamed > 0 then
    return { 'unnamed', now, unnamed }
  end
end

for i = 10, 9 + handled do
  redis.call('HDEL', KEYS[2], ARGV[i])
end
appendAudit(KEYS[5], now, listsAt + 1 + 2 * (named or 0))
local inbox = redis.call('HGETALL', KEYS[2])
local unread = #inbox > 2
if #inbox == 2 then
  redis.call('DEL', KEYS[2])
end

-- Puts the record on lists and takes it off others, as far as that is a change; gives what notes them.
local function move(isFinished)
  local lists = ''
  for i = 1, named do
    local few, many = KEYS[4 + 2 * i], KEYS[5 + 2 * i]
    local name = ARGV[listsAt - 1 + 2 * i]
    local position = positions[name]
    if ARGV[listsAt + 2 * i] == '1' and not isFinished then
      lists = lists .. ' ' .. listText(name, position or putOn(few, many, member))
    elseif position then
      takeOff(position, few, many, member)
    end
  end
  return lists
end

local function write(lease, isFinished)
  local kindAndKey = string.sub(text, kindAt, dataAt - 1)
  if named then
    kindAndKey = kind .. move(isFinished) .. string.sub(text, keyAt - 1, dataAt - 1)
  end
  local record = lease .. '\n' .. ARGV[5] .. '\n' .. kindAndKey .. ARGV[4]
  redis.call('SET', KEYS[1], record, 'KEEPTTL')
end

if next == 'keep' or unread then
  write(leaseText(0, token, now + LEASE_MS), false)
  if unread or not redis.call('ZSCORE', KEYS[4], member) then
    setDue(KEYS[3], KEYS[4], member, silentUntil(0, now))
  else
    redis.call('ZADD', KEYS[4], silentUntil(0, now), member)
  end
  return { 'saved', now, 0, inbox }
end

write(leaseText(0, NOBODY, 0), next == 'finish')
local unique = KEYS[6 + 2 * (named or 0)]
if next == 'finish' then
  redis.call('ZREM', KEYS[3], member)
  redis.call('ZREM', KEYS[4], member)
  redis.call('PEXPIRE', KEYS[1], ARGV[8])
  if unique then
    redis.call('PEXPIRE', unique, ARGV[8])
  end
else
  if ARGV[7] == 'people' then
    setDue(KEYS[3], KEYS[4], member, ARGV[8])
  else
    setDue(KEYS[4], KEYS[3], member, ARGV[8])
  end
  -- Only a record that was finished before has a lifetime.
  if redis.call('PERSIST', KEYS[1]) == 1 and unique then
    redis.call('PERSIST', unique)
  end
end
return { 'saved', now, 1, {} }
