-- Reserves the next slot (generic cell rate algorithm).
-- KEYS  1 when the slots reserved so far will be used up  2 until when slots wait  3 the end of the queue
-- ARGV  1 interval in ms  2 burst  3 1: do not reserve a later slot  4 1: join the queue instead
-- Gives {'slot', now, in how many ms it comes, or to ask again}
local now = storeNow()
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local opensAt = math.max(now, tonumber(redis.call('GET', KEYS[2]) or 0))
local usedUntil = math.max(opensAt, tonumber(redis.call('GET', KEYS[1]) or 0))
local slotAt = math.max(opensAt, usedUntil - (burst - 1) * interval)
if ARGV[4] == '1' then slotAt = math.max(slotAt, tonumber(redis.call('GET', KEYS[3]) or 0)) end
if ARGV[3] ~= '1' or slotAt <= now then
  redis.call('SET', KEYS[1], usedUntil + interval, 'PX', math.ceil(usedUntil + interval - now))
elseif ARGV[4] == '1' then
  redis.call('SET', KEYS[3], slotAt + interval, 'PX', math.ceil(slotAt + interval - now))
end
return { 'slot', now, math.ceil(slotAt - now) }
