-- Writes what the holder of a lease made of the record, and renews or ends the lease.
-- KEYS  1 record  2 inbox  3 due index of the lane people  4 due index of the lane background
--       5 audit  6 unique key (left out when there is none)
-- ARGV  1 not after  2 token  3 member  4 data  5 place  6 'keep' | 'release' | 'finish'
--       7 lane to be released to  8 due at, or how long to keep a finished record in ms
--       9 number of handled signals, then their ids, then audit entries
-- Gives {'late', now} | {'lost', now} | {'saved', now, 1 if the lease ended, inbox}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local text = redis.call('GET', KEYS[1])
if not text then
  return { 'lost', now }
end
local _, token, _, _, kindAt, dataAt = readHead(text)
if token ~= ARGV[2] then
  return { 'lost', now }
end
local member, next = ARGV[3], ARGV[6]

local handled = tonumber(ARGV[9])
for i = 10, 9 + handled do
  redis.call('HDEL', KEYS[2], ARGV[i])
end
appendAudit(KEYS[5], now, 10 + handled)
local inbox = redis.call('HGETALL', KEYS[2])
local unread = #inbox > 2
if #inbox == 2 then
  redis.call('DEL', KEYS[2])
end

local function write(lease)
  local kindAndKey = string.sub(text, kindAt, dataAt - 1)
  local record = lease .. '\n' .. ARGV[5] .. '\n' .. kindAndKey .. ARGV[4]
  redis.call('SET', KEYS[1], record, 'KEEPTTL')
end

if next == 'keep' or unread then
  write(leaseText(0, token, now + LEASE_MS))
  if unread or not redis.call('ZSCORE', KEYS[4], member) then
    setDue(KEYS[3], KEYS[4], member, silentUntil(0, now))
  else
    redis.call('ZADD', KEYS[4], silentUntil(0, now), member)
  end
  return { 'saved', now, 0, inbox }
end

write(leaseText(0, NOBODY, 0))
if next == 'finish' then
  redis.call('ZREM', KEYS[3], member)
  redis.call('ZREM', KEYS[4], member)
  redis.call('PEXPIRE', KEYS[1], ARGV[8])
  if KEYS[6] then
    redis.call('PEXPIRE', KEYS[6], ARGV[8])
  end
else
  if ARGV[7] == 'people' then
    setDue(KEYS[3], KEYS[4], member, ARGV[8])
  else
    setDue(KEYS[4], KEYS[3], member, ARGV[8])
  end
  -- Only a record that was finished before has a lifetime.
  if redis.call('PERSIST', KEYS[1]) == 1 and KEYS[6] then
    redis.call('PERSIST', KEYS[6])
  end
end
return { 'saved', now, 1, {} }
