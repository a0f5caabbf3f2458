-- Leases records of one lane to the caller, if they are still due.
-- KEYS  1 due index of the lane, then for each record: record, inbox
-- ARGV  1 not after, then for each record: member, token
-- Gives {'late', now}
--       | {'leased', now, for each record: false | {claims, due at, record without lease, inbox}}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local due = KEYS[1]

local function lease(record, inbox, member, token)
  local score = redis.call('ZSCORE', due, member)
  if not score or tonumber(score) > now then
    return false
  end
  local text = redis.call('GET', record)
  if not text then
    redis.call('ZREM', due, member)
    return false
  end
  local claims = claimsIn(text) + 1
  local dueAt = silentUntil(claims, now)
  redis.call('SETRANGE', record, 0, leaseText(claims, token, now + LEASE_MS))
  redis.call('ZADD', due, dueAt, member)
  return { claims, dueAt, withoutLease(text), redis.call('HGETALL', inbox) }
end

local answer = { 'leased', now }
for i = 2, #KEYS - 1, 2 do
  answer[#answer + 1] = lease(KEYS[i], KEYS[i + 1], ARGV[i], ARGV[i + 1])
end
return answer
