--[[ Reserves credit for an open purchase, as much as is available up to the amount wanted; once per purchase. If the buyer gives no
     name, an unanswered purchase of the same blocks it, until that purchase's hold is released or its answer is forgotten.
     KEYS[1] hold   KEYS[2] account   KEYS[3] holds (sorted set, score = expiry)
     KEYS[4] unanswered purchase of the same, '' when the buyer names the purchase
     ARGV[1] member  ARGV[2] digest of the secret  ARGV[3] micro-USDC wanted  ARGV[4] expires, Unix ms  ARGV[5] account's name
     ARGV[6] what is asked for, digest  ARGV[7] operation  ARGV[8] remember an unanswered purchase for, ms
     ARGV[9] prefix of the holds' keys  ARGV[10] prefix of their claims' keys
     Output  {'held', micro-USDC, 0: none available} | {'refused', ''} no such account, or another secret
             | {'bound', ''} held under this name for something else | {'open', operation of the blocking purchase}
             | error NOROOM. After room.lua. ]]
local account = redis.call('HMGET', KEYS[2], 'auth', 'balance', 'held', 'frozen')
if not account[1] or account[1] ~= ARGV[2] then return { 'refused', '' } end
local kept = redis.call('HMGET', KEYS[1], 'micro', 'state', 'asks')
if kept[1] and (kept[3] or ARGV[6]) ~= ARGV[6] then return { 'bound', '' } end
if kept[1] and kept[2] ~= 'released' then
  if kept[2] == 'held' then redis.call('ZADD', KEYS[3], 'GT', ARGV[4], ARGV[1]) end
  return { 'held', kept[1] }
end
local open = KEYS[4] ~= '' and redis.call('GET', KEYS[4])
if open then
  local other = redis.call('HMGET', ARGV[9] .. open, 'state', 'operation')
  local stands = other[1] == 'held' or (other[1] == 'spent' and redis.call('EXISTS', ARGV[10] .. open) == 1)
  if stands then return { 'open', other[2] } end
end
local free = math.max(0, tonumber(account[2] or '0') - tonumber(account[3] or '0'))
if account[4] then free = 0 end
local micro = math.min(free, tonumber(ARGV[3]))
if micro == 0 then return { 'held', '0' } end
if is_full() then return no_room() end
redis.call('HINCRBY', KEYS[2], 'held', micro)
redis.call('HSET', KEYS[1], 'micro', micro, 'account', ARGV[5], 'state', 'held', 'asks', ARGV[6], 'operation', ARGV[7])
redis.call('PERSIST', KEYS[1])
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
if KEYS[4] ~= '' then redis.call('SET', KEYS[4], ARGV[1], 'PX', ARGV[8]) end
return { 'held', string.format('%.0f', micro) }
