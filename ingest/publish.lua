--[[ One batch: stream entry, newest state and sweep in one step, by the newest term only, each batch once.
     Input   KEYS[1] lease hash   KEYS[2] stream   KEYS[3] newest state hash   KEYS[4] sweeps hash
             ARGV[1] term   ARGV[2] number of the batch within the term, from 1
             ARGV[3] most entries the stream may hold: beyond it the oldest go, archived or not
             ARGV[4] head of the entry's JSON   ARGV[5] its tail   ARGV[6] number n of changed markets
             ARGV[7] field of the sweeps hash or ''   ARGV[8] its JSON
             then n times: market id, news (m, q or mq), market JSON or '' (as it is), quote JSON;
             then the ids to remove
     Output  1 published | 0 was published before (a repeated call) | -1 a newer term has begun ]]
local function is(key, kind)
  local found = redis.call('TYPE', key).ok
  return found == kind or found == 'none'
end
if not (is(KEYS[2], 'stream') and is(KEYS[3], 'hash') and is(KEYS[4], 'hash')) then
  return redis.error_reply('WRONGTYPE a key of the quote stream holds something else')
end
local held = redis.call('HMGET', KEYS[1], 'term', 'seq')
if held[1] ~= ARGV[1] then return -1 end
if tonumber(held[2]) >= tonumber(ARGV[2]) then return 0 end

--  all that is read and all that can be wrong comes before the first write
local entry = ARGV[4]
local last = 8 + 4 * tonumber(ARGV[6])
local state = {}
if last > 8 then
  local markets, quotes = {}, {}
  for at = 9, last, 4 do
    local id, news, market, quote = ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
    local kept = '{"market":' .. market
    if market == '' then
      --  a quote inside a market's text would have its quotation marks escaped
      local before = redis.call('HGET', KEYS[3], id)
      local cut = before and string.find(before, ',"quote":{"venue":', 1, true)
      if not cut then return redis.error_reply('MISSING newest state of a market whose text was not sent') end
      kept = string.sub(before, 1, cut - 1)
    end
    state[#state + 1] = id
    state[#state + 1] = kept .. ',"quote":' .. quote .. '}'
    if news ~= 'q' then markets[#markets + 1] = market end
    if news ~= 'm' then quotes[#quotes + 1] = quote end
  end
  entry = entry .. ',"markets":[' .. table.concat(markets, ',')
    .. '],"quotes":[' .. table.concat(quotes, ',') .. '],' .. ARGV[5]
end
redis.call('XADD', KEYS[2], 'MAXLEN', '=', ARGV[3], '*', 'batch', entry)
for at = 1, #state, 2 do redis.call('HSET', KEYS[3], state[at], state[at + 1]) end
for at = last + 1, #ARGV do redis.call('HDEL', KEYS[3], ARGV[at]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], ARGV[7], ARGV[8]) end
redis.call('HSET', KEYS[1], 'seq', ARGV[2])
return 1
