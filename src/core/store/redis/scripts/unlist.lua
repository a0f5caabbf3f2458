-- Removes a vanished record from a list.
-- KEYS  1 record  2 and 3 of the list
-- ARGV  1 member  2 position, '' in the sorted set
-- Gives {'unlisted', now}
if redis.call('EXISTS', KEYS[1]) == 0 then
  takeOff(ARGV[2], KEYS[2], KEYS[3], ARGV[1])
end
return { 'unlisted', storeNow() }
