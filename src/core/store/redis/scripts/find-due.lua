-- Finds due records of one lane; `lease` then leases each.
-- KEYS  1 due index
-- ARGV  1 limit
-- Gives {'found', now, size, when the first is due or false, members, each with when it is due}
local now = polledNow()
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return {
  'found',
  now,
  redis.call('ZCARD', KEYS[1]),
  first[2] or false,
  redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1]),
}
