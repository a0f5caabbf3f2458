-- Counts the records on lists of one shard, and finds the first due record of each lane, in constant time.
-- KEYS  1 due index of the lane people  2 due index of the lane background  then of each list its two
-- Gives {'overview', now, first due of people or false, of background or false, for each list: count, position of the
--       first or false}
local function firstDue(key)
  return redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')[2] or false
end

local answer = { 'overview', readNow(), firstDue(KEYS[1]), firstDue(KEYS[2]) }
for i = 3, #KEYS - 2, 2 do
  local few, many = KEYS[i], KEYS[i + 1]
  answer[#answer + 1] = redis.call('ZCARD', few) + redis.call('XLEN', many)
  local first = redis.call('ZRANGE', few, 0, 0, 'WITHSCORES')[2]
  local entry = redis.call('XRANGE', many, '-', '+', 'COUNT', 1)[1]
  local other = entry and string.match(entry[1], '^%d+')
  if other and (not first or tonumber(other) < tonumber(first)) then
    first = other
  end
  answer[#answer + 1] = first or false
end
return answer
