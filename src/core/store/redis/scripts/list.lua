-- Finds records on lists of one shard, the first of all of them together.
-- KEYS  of each list
-- ARGV  1 position from which on  2 how many after that position  3 1: backwards, the last one first
-- Gives {'listed', now, for each found: member, position, number of its list, 1 if it is in the stream}: all at the
--       position itself, the first after it, and those that share the last one's position
local limit, isBackwards = tonumber(ARGV[2]), ARGV[3] == '1'
local sign = isBackwards and -1 or 1
local from = sign * tonumber(ARGV[1])
local found, upTo = {}, nil

local function note(member, position, list, isInStream)
  found[#found + 1] = { member, position, list, isInStream, at = sign * tonumber(position) }
end

-- Drops what is no longer among the first: of later lists, only what comes before is read.
local function cut()
  table.sort(found, function(a, b) return a.at < b.at end)
  local behind = 0
  for i = 1, #found do
    if upTo and found[i].at > upTo then
      found[i] = nil
    elseif found[i].at > from then
      behind = behind + 1
      if behind == limit then
        upTo = found[i].at
      end
    end
  end
end

for list = 1, (#KEYS - 1) / 2 do
  local few, many = KEYS[2 * list - 1], KEYS[2 * list]
  -- Each key has one entry at a position.
  local most = limit + 1
  local last = upTo and string.format('%.0f', sign * upTo)
  local members, entries
  if isBackwards then
    members =
      redis.call('ZREVRANGEBYSCORE', few, ARGV[1], last or '-inf', 'WITHSCORES', 'LIMIT', 0, most)
    entries = redis.call('XREVRANGE', many, ARGV[1], last or '-', 'COUNT', most)
  else
    members =
      redis.call('ZRANGEBYSCORE', few, ARGV[1], last or '+inf', 'WITHSCORES', 'LIMIT', 0, most)
    entries = redis.call('XRANGE', many, ARGV[1] .. '-0', last or '+', 'COUNT', most)
  end
  for i = 1, #members, 2 do
    note(members[i], members[i + 1], list, 0)
  end
  for _, entry in ipairs(entries) do
    note(entry[2][2], string.match(entry[1], '^%d+'), list, 1)
  end
  if #found > 2 * most then
    cut()
  end
end
cut()

local answer = { 'listed', readNow() }
for _, one in ipairs(found) do
  for i = 1, 4 do
    answer[#answer + 1] = one[i]
  end
end
return answer
