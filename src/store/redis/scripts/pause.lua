-- Lets nobody have a turn for a while; a longer pause already set stays.
-- KEYS  1 exists while nobody gets a turn
-- ARGV  1 for how long in ms
-- Gives {'paused', now}
local now = storeNow()
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
end
return { 'paused', now }
