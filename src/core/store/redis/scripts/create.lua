-- Stores new records, unless others hold their unique keys.
-- KEYS  1 due index of the lane people  2 of the lane background  3 audit  4 its chain, then for each record:
--       1 record  2… of each list  … unique key (left out when there is none)
-- ARGV  1 not after, then as `withEach` takes them, for each record:
--       1 member  2 member of a record known to be gone, or ''  3 place and kind  4 unique key and data
--       5 lane  6 due in ms  7 token, '' without a lease  8 number of lists, then their names, then audit entries
-- Gives {'late', now}
--       | {'done', now, for each record: {'exists', member of the holder} | {'created', due at}}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end

local function create(key, lastKey, arg, lastArg)
  local member, token, lists = ARGV[arg], ARGV[arg + 6], tonumber(ARGV[arg + 7])
  local uniqueAt = key + 1 + 2 * lists
  if uniqueAt <= lastKey then
    local unique = KEYS[uniqueAt]
    if not redis.call('SET', unique, member, 'NX') then
      local holder = redis.call('GET', unique)
      if holder ~= ARGV[arg + 1] then
        return { 'exists', holder }
      end
      redis.call('SET', unique, member)
    end
  end
  local lease = FREE
  local dueAt = now + tonumber(ARGV[arg + 5])
  if token ~= '' then
    lease = leaseText(1, token, now + LEASE_MS)
    dueAt = silentUntil(1, now)
  end
  local placeAndKind = ARGV[arg + 2]
  for i = 1, lists do
    local position = putOn(KEYS[key - 1 + 2 * i], KEYS[key + 2 * i], member)
    placeAndKind = placeAndKind .. ' ' .. listText(ARGV[arg + 7 + i], position)
  end
  redis.call('SET', KEYS[key], lease .. '\n' .. placeAndKind .. '\n' .. ARGV[arg + 3])
  redis.call('ZADD', ARGV[arg + 4] == 'people' and KEYS[1] or KEYS[2], dueAt, member)
  appendAudit(KEYS[3], KEYS[4], now, arg + 8 + lists, lastArg)
  return { 'created', dueAt }
end

local answer = withEach(4, now, create)
keepChain(KEYS[4])
return answer
