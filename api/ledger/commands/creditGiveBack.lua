--[[ Gives back what creditTakeBack took: the money is on its chain again. After creditDebt.lua.
     KEYS[1] lot   KEYS[2] account it was taken from, '' for none   KEYS[3] sales journal (stream)
     ARGV[1] entry for the journal, JSON
     Output  'restored' | 'unknown' none of it is taken back ]]
local lot = redis.call('HMGET', KEYS[1], 'revoked', 'taken', 'owed')
if not lot[1] then return 'unknown' end
if KEYS[2] == '' then
  redis.call('HSET', KEYS[1], 'state', 'open')
else
  redis.call('HINCRBY', KEYS[2], 'balance', lot[2])
  if lot[3] ~= '0' then owe_less(KEYS[2], lot[3]) end
end
redis.call('HDEL', KEYS[1], 'revoked', 'taken', 'owed')
redis.call('XADD', KEYS[3], '*', 'credit', ARGV[1], 'taken', lot[2], 'owed', lot[3])
return 'restored'
