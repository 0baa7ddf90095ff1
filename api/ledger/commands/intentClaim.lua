--[[ Makes the settled claim of a paid intent, once, and in the same step spends the credit held for it and takes its slot
     of the opening sale. Repeating the call changes nothing.
     KEYS[1] intent   KEYS[2] claim   KEYS[3] settled claims without an answer (sorted set)
     KEYS[4] hold, '' for none   KEYS[5] account   KEYS[6] holds (sorted set)
     KEYS[7] buyers served in the sale (set), '' when this is no such sale   KEYS[8] reserved slots (sorted set, score = lease end)
     KEYS[9] intents whose money may still leave its chain (sorted set, score = next look), '' when no money arrived
     KEYS[10] referral account, '' for none
     ARGV[1] claim member  ARGV[2] request fingerprint  ARGV[3] fields as JSON object of strings
     ARGV[4] version the intent was read at  ARGV[5] hold member  ARGV[6] micro-USDC held  ARGV[7] digest of the secret
     ARGV[8] buyer in the sale  ARGV[9] slots of the sale  ARGV[10] forget the hold after, ms
     ARGV[11] body of the claimed intent  ARGV[12] intent member
     ARGV[13] micro-USDC of the referral  ARGV[14] keep its account for, ms. After referralBook.lua.
     Output  'won' | 'settled' the same request claimed it | 'bound' another did | 'changed'
             | 'hold_gone' the credit was used elsewhere | 'sale_over' no slot, or this buyer already had one ]]
local held = redis.call('HMGET', KEYS[2], 'state', 'fp')
if held[1] then return held[2] == ARGV[2] and 'settled' or 'bound' end
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[4] then return 'changed' end
if KEYS[7] ~= '' then
  redis.call('ZREMRANGEBYSCORE', KEYS[8], '-inf', now)
  if redis.call('SISMEMBER', KEYS[7], ARGV[8]) == 1 then return 'sale_over' end
  local taken = redis.call('SCARD', KEYS[7]) + redis.call('ZCARD', KEYS[8])
  if not redis.call('ZSCORE', KEYS[8], ARGV[8]) and taken >= tonumber(ARGV[9]) then return 'sale_over' end
end
if KEYS[4] ~= '' then
  local micro = tonumber(ARGV[6])
  local hold = redis.call('HMGET', KEYS[4], 'state', 'micro')
  local own = hold[1] == 'held' and tonumber(hold[2]) or 0
  if own ~= micro then -- released meanwhile, or held anew for another amount: take the same one, if it is still available
    local account = redis.call('HMGET', KEYS[5], 'auth', 'balance', 'held', 'frozen')
    local free = tonumber(account[2] or '0') - tonumber(account[3] or '0') + own
    if account[1] ~= ARGV[7] or account[4] or free < micro then return 'hold_gone' end
  end
  if own > 0 then redis.call('HINCRBY', KEYS[5], 'held', -own) end
  redis.call('HINCRBY', KEYS[5], 'balance', -micro)
  redis.call('HSET', KEYS[4], 'state', 'spent', 'micro', micro)
  redis.call('PEXPIRE', KEYS[4], ARGV[10])
  redis.call('ZREM', KEYS[6], ARGV[5])
end
if KEYS[7] ~= '' then
  redis.call('ZREM', KEYS[8], ARGV[8])
  redis.call('SADD', KEYS[7], ARGV[8])
end
put(KEYS[2], ARGV[3])
redis.call('HSET', KEYS[2], 'state', 'settled', 'fp', ARGV[2], 'created', now, 'settledAt', now)
redis.call('HSET', KEYS[1], 'v', tonumber(ARGV[4]) + 1, 'body', ARGV[11])
redis.call('ZADD', KEYS[3], now, ARGV[1])
if KEYS[9] ~= '' then redis.call('ZADD', KEYS[9], now, ARGV[12]) end
if KEYS[10] ~= '' then refer(KEYS[10], 1, ARGV[13], ARGV[14]) end
return 'won'
