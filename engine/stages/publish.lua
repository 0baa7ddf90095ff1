--[[ Publishes one board: its value, the changes to its lists, its feed events, and the stream entry, in one step. Done only by the
     engine that holds the newest fence, and only if the store is in the state that this engine expects.
     Input   KEYS[1] newest fence   KEYS[2] version counter of the board   KEYS[3] value   KEYS[4] snapshot stream
             KEYS[5] rows of the lists   KEYS[6] rows written ahead   KEYS[7] order   KEYS[8] records
             KEYS[9] feed stream   KEYS[10] episode stream   KEYS[11] open cards of `gaps`   KEYS[12] open cards of `edges`
             ARGV[1] our fence   ARGV[2] JSON before the version number   ARGV[3] JSON after it
             ARGV[4] entries the stream keeps   ARGV[5] name of the board
             ARGV[6] what happens to the lists: inline, nothing is kept beside the value | same | change | base, written from nothing
             ARGV[7] version before, '' with inline   ARGV[8] rows stored before; with base: rows written ahead
             ARGV[9] lines of rows   ARGV[10] number of this piece of the record   ARGV[11] version of the record before
             ARGV[12] line of the order, may be ''   ARGV[13] all of the order, '' when the line is enough
             ARGV[14] oldest version whose records stay
             then '' when there are no events, else last id of the feed stream, of the episode stream, entries each keeps,
               events (topic, pair, kind, JSON before the version number, JSON of the card)   episodes (JSON), each preceded
               by their count
     Output  {version, last id of the feed stream, of the episode stream}
             | {-1} stale: another engine has led since | {-2} the store is in another state; nothing was written ]]
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) ~= tonumber(ARGV[1]) then return {-1} end

local kind = ARGV[6]
if kind ~= 'inline' then
  if tonumber(redis.call('GET', KEYS[2]) or 0) ~= tonumber(ARGV[7]) then return {-2} end
  local stored = tonumber(ARGV[8])
  --  nothing is written ahead: any rows there are from an engine that ended before its publication
  if kind == 'base' and stored == 0 then redis.call('UNLINK', KEYS[6]) end
  if redis.call('HLEN', kind == 'base' and KEYS[6] or KEYS[5]) ~= stored then return {-2} end
end

local at = 14
local function argument()
  at = at + 1
  return ARGV[at]
end
local function last_id(stream)
  if redis.call('EXISTS', stream) == 0 then return '0-0' end
  local info = redis.call('XINFO', 'STREAM', stream)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then return info[i + 1] end
  end
end

local feed_id = argument()
local tells = feed_id ~= ''
if tells and (last_id(KEYS[9]) ~= feed_id or last_id(KEYS[10]) ~= argument()) then return {-2} end

local version = redis.call('INCR', KEYS[2])
if kind == 'inline' then
  redis.call('UNLINK', KEYS[5], KEYS[6], KEYS[7], KEYS[8])
elseif kind == 'base' then
  put_rows(KEYS[6], ARGV[9])
  redis.call('UNLINK', KEYS[5], KEYS[8])
  redis.call('RENAME', KEYS[6], KEYS[5])
  redis.call('SET', KEYS[7], version .. ' ' .. ARGV[13])
elseif kind == 'change' then
  local id = version .. '-' .. ARGV[10]
  redis.call('XADD', KEYS[8], id, 'behind', ARGV[11], 'rows', ARGV[9], 'order', ARGV[12])
  redis.call('XTRIM', KEYS[8], 'MINID', ARGV[14])
  --  rows of several pieces are applied afterwards, piece by piece
  if ARGV[10] == '1' then put_rows(KEYS[5], ARGV[9]) end
  if ARGV[13] ~= '' then
    redis.call('SET', KEYS[7], version .. ' ' .. ARGV[13])
  elseif ARGV[12] ~= '' then
    redis.call('APPEND', KEYS[7], version .. ' ' .. ARGV[12])
  end
end
redis.call('SET', KEYS[3], ARGV[2] .. version .. ARGV[3])
if tells then
  local feed_keeps, episodes_keep = argument(), argument()
  for _ = 1, tonumber(argument()) do
    local topic, pair, kind, head, card = argument(), argument(), argument(), argument(), argument()
    local open = topic == 'gaps' and KEYS[11] or KEYS[12]
    if kind == 'closed' then redis.call('HDEL', open, pair) else redis.call('HSET', open, pair, card) end
    local event = head .. version .. ',"card":' .. card .. '}'
    redis.call('XADD', KEYS[9], 'MAXLEN', '~', feed_keeps, '*', 'event', event)
  end
  for _ = 1, tonumber(argument()) do
    redis.call('XADD', KEYS[10], 'MAXLEN', '~', episodes_keep, '*', 'episode', argument())
  end
end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[4], '*', 'name', ARGV[5], 'version', version)
return tells and {version, last_id(KEYS[9]), last_id(KEYS[10])} or {version}
