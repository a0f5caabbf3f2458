-- Finds who stands on lists of one shard.
-- KEYS  of each list
-- ARGV  1 position from which on  2 limit for each key
-- Gives {'listed', now, for each list: {members, each with its position}, entries of the stream}
local answer = { 'listed', storeNow() }
for i = 1, #KEYS, 2 do
  answer[#answer + 1] =
    redis.call('ZRANGEBYSCORE', KEYS[i], ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
  answer[#answer + 1] = redis.call('XRANGE', KEYS[i + 1], ARGV[1] .. '-0', '+', 'COUNT', ARGV[2])
end
return answer
