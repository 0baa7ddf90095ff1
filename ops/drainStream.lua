--[[ The position of a drain: a hash beside its stream.
       cursor    entries up to here are in the tables
       passed    how many entries those are, including those that the stream dropped unread: added - held - passed of them
       seen      how many entries the stream was ever given, at the last look, once anything was claimed; `deleted` of them
                 to streams that were deleted
       first last count dropped doubted    the block that is claimed; `dropped` entries were lost before it
       claims        how many blocks were ever claimed: the number of the claimed one. Filled again, a block has the ids it had before
       at:<table>    newest entry of which the table was given rows
       doubt     up to here a table may already hold rows, in other blocks: `doubted` blocks are compared with it
       counted   the cursor was put back from here: `passed` counts these entries already
       missing   of the entries after that place: those the stream no longer has
       back      where the cursor is put when the claimed block is done
     Input   KEYS[1] state hash   KEYS[2] stream   ARGV[1] what, and by what:
             look                                  -> {cursor, first, last, count, dropped, doubted, backlog, newest id, counted,
                                                       claims, 0, {at:<table>, id, ...}}
             claim  cursor first last count        -> the same, and 1 instead of 0: nobody had claimed before us
             advance claims last [table, its newest id]   -> 1 | 0 somebody else has advanced already
             trim   keepMs keepEntries floor       removes archived entries only
             tables newest back [table, given, held]   tables hold entries up to `newest`; those named were given more than
                                                   they hold and want everything after `back` again -> 1 as it was seen | 0 no longer ]]
local state, stream = KEYS[1], KEYS[2]
local held = {}
local flat = redis.call('HGETALL', state)
for at = 1, #flat, 2 do held[flat[at]] = flat[at + 1] end
local function set(field, value)
  held[field] = value
  redis.call('HSET', state, field, value)
end
local function drop(...)
  for _, field in ipairs({ ... }) do held[field] = nil end
  redis.call('HDEL', state, ...)
end
--  an id is compared as its two numbers
local function before(left, right)
  local lm, ls = left:match('^(%d+)-(%d+)$')
  local rm, rs = right:match('^(%d+)-(%d+)$')
  if tonumber(lm) ~= tonumber(rm) then return tonumber(lm) < tonumber(rm) end
  return tonumber(ls) < tonumber(rs)
end
local function raise(field, id)
  if not held[field] or before(held[field], id) then set(field, id) end
end

held.cursor = held.cursor or '0-0'
local added, length, newest = 0, 0, '0-0'
if redis.call('EXISTS', stream) == 1 then
  local info = redis.call('XINFO', 'STREAM', stream)
  for at = 1, #info, 2 do
    if info[at] == 'entries-added' then added = info[at + 1] end
    if info[at] == 'length' then length = info[at + 1] end
    if info[at] == 'last-generated-id' then newest = info[at + 1] end
  end
end
--  fewer than before: another stream has taken its place
local seen = tonumber(held.seen or held.passed or '0')
if added + tonumber(held.deleted or '0') < seen then set('deleted', seen) end
added = added + tonumber(held.deleted or '0')
if flat[1] and added ~= seen then set('seen', added) end
local function passed() return tonumber(held.passed or '0') end
local function unpassed() return math.min(length, added - passed()) end
local function isCounted(last) return held.counted and not before(held.counted, last) end

local function goBack(to)
  local gone = passed() - (length - unpassed())
  local oldest = redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]
  --  how many of them lie after `to` is known only if all do; or if none do, when the stream reaches further back
  if to ~= '0-0' then gone = (oldest and not before(to, oldest[1])) and 0 or math.min(gone, 1) end
  set('missing', gone)
  raise('doubt', held.cursor)
  raise('counted', held.cursor)
  set('cursor', to)
end

local what = ARGV[1]
local isFirst = 0
if what == 'claim' and not held.first and held.cursor == ARGV[2] then
  isFirst = 1
  set('first', ARGV[3])
  set('last', ARGV[4])
  set('count', ARGV[5])
  set('claims', tostring(tonumber(held.claims or '0') + 1))
  set('dropped', tostring(isCounted(ARGV[4]) and 0 or math.max(0, added - length - passed())))
  if held.doubt then set('doubted', held.doubt) end
end
if what == 'look' or what == 'claim' then
  local given = {}
  for field, id in pairs(held) do
    if field:sub(1, 3) == 'at:' then
      given[#given + 1] = field:sub(4)
      given[#given + 1] = id
    end
  end
  local dropped = tonumber(held.dropped or '0') + tonumber(held.missing or '0')
  return { held.cursor, held.first or '', held.last or '', held.count or '0', tostring(dropped), held.doubted or '',
    held.counted and length or unpassed(), newest, held.counted or '', held.claims or '0', isFirst, given }
end
if what == 'advance' then
  --  the ids too: a store that lost its last second counts a number twice
  if held.last ~= ARGV[3] or (held.claims or '0') ~= ARGV[2] then return 0 end
  for at = 4, #ARGV, 2 do raise('at:' .. ARGV[at], ARGV[at + 1]) end
  if not isCounted(held.last) then set('passed', passed() + tonumber(held.count) + tonumber(held.dropped)) end
  set('cursor', held.last)
  drop('first', 'last', 'count', 'dropped', 'doubted', 'missing')
  for _, edge in ipairs({ 'doubt', 'counted' }) do
    if held[edge] and not before(held.cursor, held[edge]) then drop(edge) end
  end
  if held.back then
    goBack(held.back)
    drop('back')
  end
  return 1
end
if what == 'tables' then
  if before(held.cursor, ARGV[2]) then raise('doubt', ARGV[2]) end
  for at = 4, #ARGV, 3 do
    if held['at:' .. ARGV[at]] ~= ARGV[at + 1] then return 0 end
  end
  for at = 4, #ARGV, 3 do set('at:' .. ARGV[at], ARGV[at + 2]) end
  if ARGV[3] == '' or not before(ARGV[3], held.cursor) then return 1 end
  if not held.first then
    goBack(ARGV[3])
  elseif not held.back or before(ARGV[3], held.back) then
    set('back', ARGV[3])
  end
  return 1
end

--  trim: only entries before the cursor may go, and while the cursor is put back none do
if held.counted then return end
local oldest = string.format('%d-0', tonumber(redis.call('TIME')[1]) * 1000 - tonumber(ARGV[2]))
if ARGV[4] ~= '' and before(oldest, ARGV[4]) then oldest = ARGV[4] end
if before(held.cursor, oldest) then oldest = held.cursor end
redis.call('XTRIM', stream, 'MINID', '=', oldest)
redis.call('XTRIM', stream, 'MAXLEN', '=', unpassed() + tonumber(ARGV[3]))
