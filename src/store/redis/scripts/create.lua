-- Stores a new record, unless another holds its unique key.
-- KEYS  1 record  2 its lane of the due index  3 audit  4 unique key (left out when there is none)
-- ARGV  1 not after  2 member  3 member of a record known to be gone, or ''  4 record without lease
--       5 due in ms  6 token, '' without a lease  7… audit entries
-- Gives {'late', now} | {'exists', now, member of the holder} | {'created', now, due at}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
if KEYS[4] then
  local holder = redis.call('GET', KEYS[4])
  if holder and holder ~= ARGV[3] then
    return { 'exists', now, holder }
  end
  redis.call('SET', KEYS[4], ARGV[2])
end
local lease = leaseText(0, NOBODY, 0)
local dueAt = now + tonumber(ARGV[5])
if ARGV[6] ~= '' then
  lease = leaseText(1, ARGV[6], now + LEASE_MS)
  dueAt = silentUntil(1, now)
end
redis.call('SET', KEYS[1], lease .. '\n' .. ARGV[4])
redis.call('ZADD', KEYS[2], dueAt, ARGV[2])
appendAudit(KEYS[3], now, 7)
return { 'created', now, dueAt }
