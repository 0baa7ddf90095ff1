--[[ Books that an operator paid out earnings of a referral code. One operation books once, and never more than is owed.
     KEYS[1] referral account   KEYS[2] what was paid out (hash by operation)
     ARGV[1] micro-USDC   ARGV[2] operation   ARGV[3] digest of the code   ARGV[4] what was paid out, JSON
     ARGV[5] keep an account that is owed nothing for, ms. After referralBook.lua.
     Output  'booked' | 'again' this operation booked exactly that | 'other' it booked something else
             | 'short' less is owed ]]
local before = redis.call('HGET', KEYS[2], ARGV[2])
if before then
  local kept = cjson.decode(before)
  if kept.code == ARGV[3] and kept.amountMicroUsdc == ARGV[1] then return 'again' end
  return 'other'
end
local row = redis.call('HMGET', KEYS[1], 'earned', 'paid')
if tonumber(row[1] or '0') - tonumber(row[2] or '0') < tonumber(ARGV[1]) then return 'short' end
redis.call('HINCRBY', KEYS[1], 'paid', ARGV[1])
keep_owed(KEYS[1], ARGV[5])
redis.call('HSET', KEYS[2], ARGV[2], ARGV[4])
return 'booked'
