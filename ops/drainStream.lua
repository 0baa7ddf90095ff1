--[[ Where a drain stands: hash {cursor, passed, first, last, count, dropped}, beside its stream.
     `passed` counts every entry up to the cursor, so that entries the stream threw away unread are noticed:
     entries ever added - entries held - passed.
     Input   KEYS[1] state hash   KEYS[2] stream   ARGV[1] what, and by what:
             look                                  -> {cursor, first, last, count, dropped, backlog, newest id}
             claim  cursor first last count        -> the same; ours unless somebody claimed before us
             advance last                          -> 1 | 0 somebody else has advanced already
             trim   keepMs keepEntries floor       -> number of entries removed; archived ones only ]]
local state, stream = KEYS[1], KEYS[2]
local held = redis.call('HMGET', state, 'cursor', 'passed', 'first', 'last', 'count', 'dropped')
local cursor = held[1] or '0-0'
local passed = tonumber(held[2] or '0')
local added, length, newest = 0, 0, '0-0'
if redis.call('EXISTS', stream) == 1 then
  local info = redis.call('XINFO', 'STREAM', stream)
  for at = 1, #info, 2 do
    if info[at] == 'entries-added' then added = info[at + 1] end
    if info[at] == 'length' then length = info[at + 1] end
    if info[at] == 'last-generated-id' then newest = info[at + 1] end
  end
end
local function backlog() return math.min(length, math.max(0, added - passed)) end

if ARGV[1] == 'claim' and not held[3] and cursor == ARGV[2] then
  local dropped = math.max(0, added - length - passed)
  held[3], held[4], held[5], held[6] = ARGV[3], ARGV[4], ARGV[5], tostring(dropped)
  redis.call('HSET', state, 'first', held[3], 'last', held[4], 'count', held[5], 'dropped', held[6])
end
if ARGV[1] == 'look' or ARGV[1] == 'claim' then
  return { cursor, held[3] or '', held[4] or '', held[5] or '0', held[6] or '0', backlog(), newest }
end
if ARGV[1] == 'advance' then
  if held[4] ~= ARGV[2] then return 0 end
  redis.call('HSET', state, 'cursor', held[4], 'passed', passed + tonumber(held[5]) + tonumber(held[6]))
  redis.call('HDEL', state, 'first', 'last', 'count', 'dropped')
  return 1
end

--  trim: an id is compared as its two numbers; only what lies before the cursor may go
local function before(left, right)
  local lm, ls = left:match('^(%d+)-(%d+)$')
  local rm, rs = right:match('^(%d+)-(%d+)$')
  if tonumber(lm) ~= tonumber(rm) then return tonumber(lm) < tonumber(rm) end
  return tonumber(ls) < tonumber(rs)
end
local oldest = string.format('%d-0', math.max(0, tonumber(redis.call('TIME')[1]) * 1000 - tonumber(ARGV[2])))
if ARGV[4] ~= '' and before(oldest, ARGV[4]) then oldest = ARGV[4] end
if before(cursor, oldest) then oldest = cursor end
local removed = redis.call('XTRIM', stream, 'MINID', '=', oldest)
local most = backlog() + tonumber(ARGV[3])
if length - removed > most then removed = removed + redis.call('XTRIM', stream, 'MAXLEN', '=', most) end
return removed
