--[[ Undoes the claim of a paid intent that was never answered and whose money has left its chain: nothing was given for it,
     so the intent is as it was before, credit that the claim spent is its account's again, and its referral earned nothing.
     Repeating the call changes nothing.
     KEYS[1] intent   KEYS[2] claim   KEYS[3] settled claims without an answer (sorted set)   KEYS[4] hold, '' for none
     KEYS[5] account, '' for none   KEYS[6] referral account, '' for none   KEYS[7] paid intents without an answer (sorted set)
     ARGV[1] claim member  ARGV[2] version the intent was read at  ARGV[3] body of the intent without its claim
     ARGV[4] micro-USDC of credit  ARGV[5] micro-USDC of the referral  ARGV[6] intent member
     ARGV[7] keep the referral account for, ms. After referralBook.lua.
     Output  'undone' | 'changed' the intent was written since it was read | 'answered' there is no claim without an answer ]]
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 'changed' end
local held = redis.call('HMGET', KEYS[2], 'state', 'body')
if held[1] ~= 'settled' or held[2] then return 'answered' end
if KEYS[5] ~= '' then
  redis.call('HINCRBY', KEYS[5], 'balance', ARGV[4])
  if redis.call('HGET', KEYS[4], 'state') == 'spent' then redis.call('HSET', KEYS[4], 'state', 'released') end
end
if KEYS[6] ~= '' then refer(KEYS[6], -1, '-' .. ARGV[5], ARGV[7]) end
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('HSET', KEYS[1], 'v', tonumber(ARGV[2]) + 1, 'body', ARGV[3])
redis.call('ZADD', KEYS[7], now, ARGV[6])
return 'undone'
