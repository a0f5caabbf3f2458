-- Writes a separate audit entry.
-- KEYS  1 audit  2 its chain
-- ARGV  1 not after  2 action  3 record or ''  4 actor  5 facts  6 signature or ''; of a checkpoint also
--       7 id of the last entry that it covers  8 its link
-- Gives {'late', now} | {'changed', now}: that entry is not there | {'written', now, id of the entry}
local now = storeNow()
if now > tonumber(ARGV[1]) then
  return { 'late', now }
end
if ARGV[7] and not isThere(KEYS[1], KEYS[2], ARGV[7], ARGV[8]) then
  return { 'changed', now }
end
local id = appendAudit(KEYS[1], KEYS[2], now, 2, 6)
keepChain(KEYS[2])
return { 'written', now, id }
