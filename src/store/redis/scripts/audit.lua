-- Writes an audit entry that belongs to no other write.
-- KEYS  1 audit
-- ARGV  1 not after  2 action  3 record or ''  4 actor  5 facts
-- Gives {'late', now} | {'written', now, id of the entry}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
return { 'written', now, appendAudit(KEYS[1], now, 2, 5) }
