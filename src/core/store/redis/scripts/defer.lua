-- Releases a record unchanged; its count of claims continues.
-- KEYS  1 record  2 due index of the lane people  3 due index of the lane background
-- ARGV  1 not after  2 token  3 the token as a save without an answer left it  4 member  5 due at
-- Gives {'late', now} | {'lost', now} | {'deferred', now}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local text = redis.call('GET', KEYS[1])
if not text then
  return { 'lost', now }
end
if tokenIn(text) ~= ARGV[2] and tokenIn(text) ~= ARGV[3] then
  return { 'lost', now }
end
redis.call('SETRANGE', KEYS[1], 0, leaseText(claimsIn(text), NOBODY, 0))
if redis.call('ZSCORE', KEYS[3], ARGV[4]) then
  redis.call('ZADD', KEYS[3], ARGV[5], ARGV[4])
else
  redis.call('ZADD', KEYS[2], ARGV[5], ARGV[4])
end
return { 'deferred', now }
