-- The audit log of a shard is a stream whose entries have the ids '<time>-<number>', and after their fields a link: the
-- hash of the previous link, the id and the fields, computed like `linkAfter` in `audit-chain.ts`. A string next to it
-- holds the state of the log:
--   '<number> <link> <time> of the last entry, <number> <link> of the last one removed, <what version 0.1 looks for>'

local NO_LINK = '-'
-- Tells version 0.1 that only `remove-audit.lua` removes entries.
local NEVER = '1000000000000000'

-- The state of the log, once this script has read it; saved by `keepChain`.
local chain

-- Reads the state from the log itself, if the string was lost or is behind.
local function chainOf(stream, anchorNumber, anchorLink)
  local found = { number = 0, link = NO_LINK, at = 0 }
  found.anchorNumber, found.anchorLink = anchorNumber, anchorLink
  local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if last then
    local at, number = string.match(last[1], '^(%d+)-(%d+)$')
    found.at, found.number, found.link = tonumber(at), tonumber(number), last[2][12] or NO_LINK
  end
  return found
end

local function readChain(stream, key)
  local text = redis.call('GET', key)
  if not text then
    return chainOf(stream, 0, NO_LINK)
  end
  local number, link, at, anchorNumber, anchorLink = string.match(text, '^(%d+) (%S+) (%d+) (%d+) (%S+)')
  return {
    number = tonumber(number), link = link, at = tonumber(at),
    anchorNumber = tonumber(anchorNumber), anchorLink = anchorLink,
  }
end

-- Whether the entry with this id, or the last one removed, has this link.
local function isThere(stream, key, id, link)
  local found = redis.call('XRANGE', stream, id, id)[1]
  if found then
    return found[2][12] == link
  end
  chain = readChain(stream, key)
  return chain.anchorNumber == tonumber(string.match(id, '%d+$')) and chain.anchorLink == link
end

-- Adds one entry, whose fields are the arguments from `first` on. Returns its id, or an error when the log has a later
-- entry.
local function addEntry(stream, now, first)
  local number, at = chain.number + 1, math.max(now, chain.at)
  local id = string.format('%.0f-%.0f', at, number)
  local link = redis.sha1hex(chain.link .. '\n' .. id .. '\n' .. table.concat(ARGV, '\n', first, first + 4))
  local added = redis.pcall('XADD', stream, id, 'a', ARGV[first], 'r', ARGV[first + 1], 'w', ARGV[first + 2],
    'f', ARGV[first + 3], 'm', ARGV[first + 4], 'l', link)
  if not added.err then
    chain.number, chain.at, chain.link = number, at, link
  end
  return added
end

-- Removes at most this many entries, up to this id. True when there may be more.
local function removeUpTo(stream, id, most)
  local old = redis.call('XRANGE', stream, '-', id, 'COUNT', most)
  local last = old[#old]
  if last then
    local at, number = string.match(last[1], '^(%d+)-(%d+)$')
    chain.anchorNumber, chain.anchorLink = tonumber(number), last[2][12] or NO_LINK
    redis.call('XTRIM', stream, 'MINID', at .. '-' .. string.format('%.0f', tonumber(number) + 1))
  end
  return #old == most
end

-- Audit entries are the arguments from `first` to `last`, five for each: action, record, actor, facts, signature.
-- Returns the id of the last one in the stream. Call `keepChain` afterwards.
local function appendAudit(stream, key, now, first, last)
  local id
  for i = first, last, 5 do
    chain = chain or readChain(stream, key)
    id = addEntry(stream, now, i)
    if id.err then
      chain = chainOf(stream, chain.anchorNumber, chain.anchorLink)
      id = addEntry(stream, now, i)
    end
  end
  return id
end

-- Every script that appends entries ends with this.
local function keepChain(key)
  if chain then
    redis.call('SET', key, string.format('%.0f %s %.0f %.0f %s %s', chain.number, chain.link, chain.at,
      chain.anchorNumber, chain.anchorLink, NEVER))
  end
end
