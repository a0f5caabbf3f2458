-- Stores a new record, unless another holds its unique key.
-- KEYS  1 record  2 its lane of the due index  3 audit  4… of each list  … unique key (left out when there is none)
-- ARGV  1 not after  2 member  3 member of a record known to be gone, or ''  4 place and kind
--       5 unique key and data  6 due in ms  7 token, '' without a lease  8 number of lists, then their names,
--       then audit entries
-- Gives {'late', now} | {'exists', now, member of the holder} | {'created', now, due at}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local lists = tonumber(ARGV[8])
local unique = KEYS[4 + 2 * lists]
if unique then
  local holder = redis.call('GET', unique)
  if holder and holder ~= ARGV[3] then
    return { 'exists', now, holder }
  end
  redis.call('SET', unique, ARGV[2])
end
local lease = leaseText(0, NOBODY, 0)
local dueAt = now + tonumber(ARGV[6])
if ARGV[7] ~= '' then
  lease = leaseText(1, ARGV[7], now + LEASE_MS)
  dueAt = silentUntil(1, now)
end
local placeAndKind = ARGV[4]
for i = 1, lists do
  local position = putOn(KEYS[2 + 2 * i], KEYS[3 + 2 * i], ARGV[2])
  placeAndKind = placeAndKind .. ' ' .. listText(ARGV[8 + i], position)
end
redis.call('SET', KEYS[1], lease .. '\n' .. placeAndKind .. '\n' .. ARGV[5])
redis.call('ZADD', KEYS[2], dueAt, ARGV[2])
appendAudit(KEYS[3], now, 9 + lists)
return { 'created', now, dueAt }
