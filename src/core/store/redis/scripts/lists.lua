-- Precedes every script, after the prelude.
--
-- A list has two keys, to be small with many records as well as with few: a sorted set of up to MOST_FEW record
-- members, which Redis keeps packed, and a stream of the others. Both are in the order of positions: the time in
-- microseconds when a record was added, always increasing.
-- A record stores the names of its lists, each with '=' and its position if it is in the stream.

local MOST_FEW = 100

-- Returns the kind, and for each of its lists the position in the stream, or '' for the sorted set.
local function readKind(line)
  local positions = {}
  for list in string.gmatch(line, ' (%S+)') do
    local name, position = string.match(list, '^([^=]+)=?(%d*)$')
    positions[name] = position
  end
  return string.match(line, '^%S*'), positions
end

-- Names of these lists that are not among the arguments, which are pairs of a name and another value.
local function unlistedNames(positions, first, count)
  local unlisted = {}
  for name in pairs(positions) do
    unlisted[name] = true
  end
  for i = first, first + 2 * count - 1, 2 do
    unlisted[ARGV[i]] = nil
  end
  local names = {}
  for name in pairs(unlisted) do
    names[#names + 1] = name
  end
  return names
end

-- A list as stored in the record.
local function listText(name, position)
  return position == '' and name or name .. '=' .. position
end

local positions = 0

-- Unique for each record that a script adds: each takes longer than a microsecond.
local function newPosition()
  positions = positions + 1
  return startedAt[1] * 1000000 + startedAt[2] + positions
end

-- Adds a member to a list; returns its position in the stream, or '' for the sorted set.
local function putOn(few, many, member)
  local position = newPosition()
  if redis.call('ZCARD', few) < MOST_FEW then
    local last = redis.call('ZREVRANGE', few, 0, 0, 'WITHSCORES')[2]
    redis.call('ZADD', few, math.max(position, (last or 0) + 1), member)
    return ''
  end
  local added = redis.pcall('XADD', many, string.format('%.0f-0', position), '', member)
  if type(added) == 'table' then
    -- The clock went back.
    local stream = redis.call('XINFO', 'STREAM', many)
    for i = 1, #stream, 2 do
      if stream[i] == 'last-generated-id' then
        position = tonumber(string.match(stream[i + 1], '^%d+')) + 1
      end
    end
    redis.call('XADD', many, string.format('%.0f-0', position), '', member)
  end
  return string.format('%.0f', position)
end

local function takeOff(position, few, many, member)
  if position == '' then
    redis.call('ZREM', few, member)
    return
  end
  redis.call('XDEL', many, position .. '-0')
  -- An empty stream would stay, and uses several kilobytes.
  if redis.call('XLEN', many) == 0 then
    redis.call('DEL', many)
  end
end
