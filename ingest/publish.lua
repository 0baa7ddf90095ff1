--[[ Publishes one batch: stream entry, newest state and sweep in one step, by the newest term only, each batch once.
     Input   KEYS[1] lease hash   KEYS[2] stream   KEYS[3] newest markets hash   KEYS[4] newest quotes hash
             KEYS[5] sweeps hash
             ARGV[1] term   ARGV[2] number of the batch within the term, from 1
             ARGV[3] most entries the stream may hold: beyond that the oldest are dropped, archived or not
             ARGV[4] head of the entry's JSON   ARGV[5] its tail   ARGV[6] number n of changed markets
             ARGV[7] field of the sweeps hash or ''   ARGV[8] its JSON
             ARGV[9] owner of the term: a Redis that lost its last second may assign a term twice
             then n times: market id, market JSON, quote JSON, each '' when it is unchanged since it was published;
             then the ids to remove
     Output  1 published | 0 had been published before (a repeated call)
             | -1 a newer term has begun, or Redis has lost the batch before this one ]]
local function is(key, kind)
  local found = redis.call('TYPE', key).ok
  return found == kind or found == 'none'
end
if not (is(KEYS[2], 'stream') and is(KEYS[3], 'hash') and is(KEYS[4], 'hash') and is(KEYS[5], 'hash')) then
  return redis.error_reply('WRONGTYPE a key of the quote stream holds something else')
end
local held = redis.call('HMGET', KEYS[1], 'term', 'seq', 'owner')
if held[1] ~= ARGV[1] or held[3] ~= ARGV[9] then return -1 end
if tonumber(held[2]) >= tonumber(ARGV[2]) then return 0 end
if tonumber(held[2]) + 1 < tonumber(ARGV[2]) then return -1 end

--  everything that is read and everything that can fail comes before the first write
local entry = ARGV[4]
local last = 9 + 3 * tonumber(ARGV[6])
local markets, quotes, newMarkets, newQuotes = {}, {}, {}, {}
local function take(part, key, texts, state, id)
  if part == '' then return redis.call('HEXISTS', key, id) == 1 end
  texts[#texts + 1] = part
  state[#state + 1] = id
  state[#state + 1] = part
  return true
end
for at = 10, last, 3 do
  local id = ARGV[at]
  if not (take(ARGV[at + 1], KEYS[3], markets, newMarkets, id)
      and take(ARGV[at + 2], KEYS[4], quotes, newQuotes, id)) then
    return redis.error_reply('MISSING newest state of what was not sent')
  end
end
if last > 9 then
  entry = entry .. ',"markets":[' .. table.concat(markets, ',')
    .. '],"quotes":[' .. table.concat(quotes, ',') .. '],' .. ARGV[5]
end
redis.call('XADD', KEYS[2], 'MAXLEN', '=', ARGV[3], '*', 'batch', entry)
if #newMarkets > 0 then redis.call('HSET', KEYS[3], unpack(newMarkets)) end
if #newQuotes > 0 then redis.call('HSET', KEYS[4], unpack(newQuotes)) end
if #ARGV > last then
  redis.call('HDEL', KEYS[3], unpack(ARGV, last + 1))
  redis.call('HDEL', KEYS[4], unpack(ARGV, last + 1))
end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[5], ARGV[7], ARGV[8]) end
redis.call('HSET', KEYS[1], 'seq', ARGV[2])
return 1
