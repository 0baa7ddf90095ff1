--[[ The money of suspended credit has been gone for so long that it is not waited for: what is unspent and not held pays what the
     account owes for it, so that other credit on it can be spent again; the rest stays owed, and is paid when this is said again
     and there is more: a hold has ended, or credit has come back. Undone by chainRestore.
     After creditDebt.lua.
     KEYS[1] claim   KEYS[2] lot   KEYS[3] account that has it
     ARGV[1] micro-USDC of the lot
     Output  'paid' | 'owed' | 'unknown' nothing of it is suspended ]]
if not redis.call('HGET', KEYS[1], 'suspended') then return 'unknown' end
local lost = redis.call('HMGET', KEYS[2], 'taken', 'owed')
local owed = tonumber(lost[2] or ARGV[1])
local taken = math.min(unheld(KEYS[3]), owed)
-- as text, and only if anything is taken: see creditTakeBack
if taken > 0 then
  redis.call('HINCRBY', KEYS[3], 'balance', string.format('-%.0f', taken))
  owe_less(KEYS[3], string.format('%.0f', taken))
end
if taken > 0 or not lost[1] then
  redis.call('HSET', KEYS[2], 'taken', tonumber(lost[1] or '0') + taken, 'owed', owed - taken)
end
return owed > taken and 'owed' or 'paid'
