--[[ Gives back what chainSuspend and chainLost took: the money is on chain again.
     KEYS as in chainSuspend
     ARGV[1] micro-USDC of the lot  ARGV[2] entry for the journal, JSON  ARGV[3] micro-USDC of the referral
     ARGV[4] keep its account for, ms. After referralBook.lua, grantRevoke.lua and creditDebt.lua.
     Output  'restored' | 'unknown' nothing of it is suspended ]]
if not redis.call('HGET', KEYS[1], 'suspended') then return 'unknown' end
restore_grant(KEYS[2])
if KEYS[3] ~= '' and redis.call('HEXISTS', KEYS[3], 'revoked') == 1 then
  redis.call('HSET', KEYS[3], 'state', 'open')
  redis.call('HDEL', KEYS[3], 'revoked')
elseif KEYS[4] ~= '' then
  local lost = redis.call('HMGET', KEYS[3], 'taken', 'owed')
  local owed = lost[2] or ARGV[1]
  if lost[1] then redis.call('HINCRBY', KEYS[4], 'balance', lost[1]) end
  if owed ~= '0' then owe_less(KEYS[4], owed) end
  redis.call('HDEL', KEYS[3], 'taken', 'owed')
end
redis.call('HDEL', KEYS[1], 'suspended', 'missing')
redis.call('DEL', KEYS[6])
if KEYS[7] ~= '' then refer(KEYS[7], 1, ARGV[3], ARGV[4]) end
redis.call('XADD', KEYS[5], '*', 'reversal', ARGV[2])
return 'restored'
