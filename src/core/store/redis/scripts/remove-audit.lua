-- Removes old audit entries.
-- KEYS  1 audit  2 its chain
-- ARGV  1 id of the last entry to remove
-- Gives {'done', now, 1 if there may be more to remove}
local now = storeNow()
chain = readChain(KEYS[1], KEYS[2])
local isMore = removeUpTo(KEYS[1], ARGV[1], 1000)
keepChain(KEYS[2])
return { 'done', now, isMore and 1 or 0 }
