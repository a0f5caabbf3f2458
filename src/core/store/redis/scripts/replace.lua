-- Replaces a value if it is still the one that the caller knows.
-- KEYS  1 the small key
-- ARGV  1 the known value  2 the new one  3 its lifetime in ms
-- Gives {'replaced', now} or {'changed', now}
local now = storeNow()
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return { 'changed', now }
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return { 'replaced', now }
