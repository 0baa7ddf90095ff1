--[[ Takes back credit whose money has left its chain: an unopened lot reads as unknown; from an account the unspent part that is
     not held is taken, and if that is not all of it, the account owes the rest and is frozen. Once per loss; undone
     by creditGiveBack. After creditDebt.lua.
     KEYS[1] lot   KEYS[2] account that has it, '' for none   KEYS[3] sales journal (stream)
     ARGV[1] state the lot was read in   ARGV[2] micro-USDC of the lot   ARGV[3] entry for the journal, JSON
     Output  'revoked' | 'already' | 'unknown' no such lot | 'changed' the lot moved meanwhile: read again ]]
local lot = redis.call('HMGET', KEYS[1], 'outcome', 'state', 'revoked')
if not lot[1] then return 'unknown' end
if lot[3] then return 'already' end
if (lot[2] or '') ~= ARGV[1] then return 'changed' end
local taken, owed = tonumber(ARGV[2]), 0
if KEYS[2] == '' then
  redis.call('HDEL', KEYS[1], 'state')
else
  owed = math.max(0, taken - unheld(KEYS[2]))
  taken = taken - owed
  -- as text, and only if anything is taken: Redis 7.0 turns the number 0 into -0, which it does not accept
  if taken > 0 then redis.call('HINCRBY', KEYS[2], 'balance', string.format('-%.0f', taken)) end
  if owed > 0 then owe(KEYS[2], owed) end
end
redis.call('HSET', KEYS[1], 'revoked', now, 'taken', taken, 'owed', owed)
redis.call('XADD', KEYS[3], '*', 'credit', ARGV[3], 'taken', taken, 'owed', owed)
return 'revoked'
