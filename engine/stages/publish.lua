--[[ Publishes one board: its value, the new parts of its lists, what it tells, and the stream entry, in one step, by the
     engine that holds the newest fence only, and only when the store stands where that engine believes it does.
     Input   KEYS[1] newest fence   KEYS[2] version counter of the board   KEYS[3] value   KEYS[4] snapshot stream
             KEYS[5] parts of the board   KEYS[6] feed stream   KEYS[7] episode stream   KEYS[8] open cards of `gaps`
             KEYS[9] open cards of `edges`
             ARGV[1] our fence   ARGV[2] JSON before the version number   ARGV[3] JSON behind it
             ARGV[4] entries the stream keeps   ARGV[5] name of the board
             ARGV[6] parts stored before   then lists, each led by its length:
               new parts (digest, text)   parts to drop (digest)
             then '' when nothing is told, else last id of the feed stream, of the episode stream, entries each keeps,
               events (topic, pair, kind, JSON before the version number, JSON of the card)   episodes (JSON)
     Output  {version, last id of the feed stream, of the episode stream}
             | {-1} stale: another engine has led since | {-2} the store stands elsewhere; nothing was written ]]
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) ~= tonumber(ARGV[1]) then return {-1} end
if redis.call('HLEN', KEYS[5]) ~= tonumber(ARGV[6]) then return {-2} end

local at = 6
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

local put = {}
for i = 1, tonumber(argument()) do put[i] = {argument(), argument()} end
local drop = {}
for i = 1, tonumber(argument()) do drop[i] = argument() end
local feed_id = argument()
local tells = feed_id ~= ''
if tells and (last_id(KEYS[6]) ~= feed_id or last_id(KEYS[7]) ~= argument()) then return {-2} end

local version = redis.call('INCR', KEYS[2])
for _, part in ipairs(put) do redis.call('HSET', KEYS[5], part[1], part[2]) end
for _, digest in ipairs(drop) do redis.call('HDEL', KEYS[5], digest) end
redis.call('SET', KEYS[3], ARGV[2] .. version .. ARGV[3])
if tells then
  local feed_keeps, episodes_keep = argument(), argument()
  for _ = 1, tonumber(argument()) do
    local topic, pair, kind, head, card = argument(), argument(), argument(), argument(), argument()
    local open = topic == 'gaps' and KEYS[8] or KEYS[9]
    if kind == 'closed' then redis.call('HDEL', open, pair) else redis.call('HSET', open, pair, card) end
    local event = head .. version .. ',"card":' .. card .. '}'
    redis.call('XADD', KEYS[6], 'MAXLEN', '~', feed_keeps, '*', 'event', event)
  end
  for _ = 1, tonumber(argument()) do
    redis.call('XADD', KEYS[7], 'MAXLEN', '~', episodes_keep, '*', 'episode', argument())
  end
end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[4], '*', 'name', ARGV[5], 'version', version)
return tells and {version, last_id(KEYS[6]), last_id(KEYS[7])} or {version}
