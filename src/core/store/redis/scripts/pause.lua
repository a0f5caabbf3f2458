-- Pauses all slots for a while; a longer pause already set stays.
-- KEYS  1 until when slots wait
-- ARGV  1 for how long in ms
-- Gives {'paused', now}
local now = storeNow()
local opensAt = now + tonumber(ARGV[1])
if tonumber(redis.call('GET', KEYS[1]) or 0) < opensAt then
  redis.call('SET', KEYS[1], opensAt, 'PX', ARGV[1])
end
return { 'paused', now }
