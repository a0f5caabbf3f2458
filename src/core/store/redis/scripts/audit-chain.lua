-- The audit log of a shard is a stream whose entries have the ids '<time>-<number>', and behind their fields a link: the
-- hash over the link before, the id and the fields, as `linkAfter` in `audit-chain.ts` makes it. Beside it a string says
-- where the log stands:
--   '<number> <link> <time> of the last entry, <number> <link> of the last one removed, <when to look for old ones>'

local NO_LINK = '-'
-- How many old entries one script removes, and how long it leaves the others alone when there are no more.
local REMOVED_AT_ONCE = 100
-- In the place of when to look: only `remove-audit.lua` removes any.
local NEVER = 1e15
local LOOK_MS = math.min(60000, AUDIT_MS / 8)

-- Where the log stands, once this script has read it; kept by `keepChain`.
local chain

-- By the log itself: nothing else says it when the string was lost, and is not to be believed when it is behind.
local function chainOf(stream, anchorNumber, anchorLink)
  local found = { number = 0, link = NO_LINK, at = 0, lookAt = 0 }
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
  local number, link, at, anchorNumber, anchorLink, lookAt =
    string.match(text, '^(%d+) (%S+) (%d+) (%d+) (%S+) (%d+)$')
  return {
    number = tonumber(number), link = link, at = tonumber(at), lookAt = tonumber(lookAt),
    anchorNumber = tonumber(anchorNumber), anchorLink = anchorLink,
  }
end

-- Whether the entry of this id, or the last one removed, has this link.
local function isThere(stream, key, id, link)
  local found = redis.call('XRANGE', stream, id, id)[1]
  if found then
    return found[2][12] == link
  end
  chain = readChain(stream, key)
  return chain.anchorNumber == tonumber(string.match(id, '%d+$')) and chain.anchorLink == link
end

-- Adds one entry, whose fields are the arguments from `first` on. Gives its id, or an error when the log is further on.
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

-- Removes so many entries at most, up to this id or time. True when that may not have been all.
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

local function removeOld(stream, now)
  local isMore = removeUpTo(stream, string.format('%.0f', math.max(now - AUDIT_MS - 1, 0)), REMOVED_AT_ONCE)
  chain.lookAt = isMore and 0 or now + LOOK_MS
end

-- Audit entries are the arguments from `first` to `last`: action, record, actor, facts, signature; again and again.
-- Gives the id of the last one in the stream. `keepChain` has to follow.
local function appendAudit(stream, key, now, first, last)
  local id
  for i = first, last, 5 do
    chain = chain or readChain(stream, key)
    id = addEntry(stream, now, i)
    if id.err then
      local lookAt = chain.lookAt
      chain = chainOf(stream, chain.anchorNumber, chain.anchorLink)
      chain.lookAt = lookAt
      id = addEntry(stream, now, i)
    end
  end
  return id
end

-- Every script that appends ends with it.
local function keepChain(stream, key, now)
  if not chain then
    return
  end
  if now >= chain.lookAt then
    removeOld(stream, now)
  end
  redis.call('SET', key, string.format('%.0f %s %.0f %.0f %s %.0f', chain.number, chain.link, chain.at,
    chain.anchorNumber, chain.anchorLink, chain.lookAt))
end
