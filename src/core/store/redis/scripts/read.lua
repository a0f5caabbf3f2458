-- Reads a record.
-- KEYS  1 record  2 due index of the lane people  3 due index of the lane background
-- ARGV  1 member
-- Gives {'missing', now} | {'found', now, record without lease, lane, due at or false}; a finished record is in
--       no lane and said to be in background
local now = readNow()
local text = redis.call('GET', KEYS[1])
if not text then
  return { 'missing', now }
end
local people = redis.call('ZSCORE', KEYS[2], ARGV[1])
local background = not people and redis.call('ZSCORE', KEYS[3], ARGV[1])
return {
  'found', now, withoutLease(text), people and 'people' or 'background', people or background,
}
