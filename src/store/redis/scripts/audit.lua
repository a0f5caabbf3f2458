-- Writes an audit entry that belongs to no other write.
-- KEYS  1 audit  2 its chain
-- ARGV  1 not after  2 action  3 record or ''  4 actor  5 facts  6 signature or ''
-- Gives {'late', now} | {'written', now, id of the entry}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
local id = appendAudit(KEYS[1], KEYS[2], now, 2, 6)
keepChain(KEYS[1], KEYS[2], now)
return { 'written', now, id }
