-- Puts a signal into a record's inbox; leases a free record to the caller, or makes it due now.
-- KEYS  1 record  2 inbox  3 due index of the lane people  4 due index of the lane background
--       5 that this signal came
-- ARGV  1 not after  2 member  3 signal id  4 body  5 token, '' to take no lease
--       6 where the signal comes from, '' from nowhere  7 the same without a message
--       8 for how many ms it is known that the signal came, '' not at all
-- Gives {'late', now} | {'missing', now} | {'mismatch', now} | {'known', now} | {'queued', now}
--       | {'leased', now, {claims, due at, record without lease, inbox}}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local text = redis.call('GET', KEYS[1])
if not text then
  return { 'missing', now }
end
if ARGV[6] ~= '' then
  local place = placeIn(text)
  if place ~= ARGV[6] and place ~= ARGV[7] then
    return { 'mismatch', now }
  end
end

local waits = redis.call('HEXISTS', KEYS[2], ARGV[3]) == 1
if ARGV[8] ~= '' and not redis.call('SET', KEYS[5], '', 'NX', 'PX', ARGV[8]) and not waits then
  return { 'known', now }
end
if not waits then
  local number = redis.call('HINCRBY', KEYS[2], '', 1)
  redis.call('HSET', KEYS[2], ARGV[3], number .. ' ' .. now .. ' ' .. ARGV[4])
  local livesMs = redis.call('PTTL', KEYS[1])
  if livesMs > 0 then
    redis.call('PEXPIRE', KEYS[2], livesMs)
  end
end

local claims, leaseEnd = claimsIn(text), leaseEndIn(text)
if tokenIn(text) ~= NOBODY and leaseEnd > now then
  -- A holder that went silent before may do so again: a person must not wait for its long retry.
  if claims >= PATIENT_CLAIMS then
    setDue(KEYS[3], KEYS[4], ARGV[2], leaseEnd)
  end
  return { 'queued', now }
end
if ARGV[5] == '' then
  setDue(KEYS[3], KEYS[4], ARGV[2], now)
  return { 'queued', now }
end
claims = claims + 1
local dueAt = silentUntil(claims, now)
redis.call('SETRANGE', KEYS[1], 0, leaseText(claims, ARGV[5], now + LEASE_MS))
setDue(KEYS[3], KEYS[4], ARGV[2], dueAt)
return { 'leased', now, { claims, dueAt, withoutLease(text), redis.call('HGETALL', KEYS[2]) } }
