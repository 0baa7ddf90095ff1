--[[ Takes back what a delivered claim entitles its buyer to, as long as its money is gone: a token reads as expired, an unopened
     credit lot as unknown, an account that has the credit is frozen and owes it. Once per loss; undone by chainRestore.
     KEYS[1] claim  KEYS[2] token's row, '' for none  KEYS[3] credit lot, '' for none  KEYS[4] account that has the credit,
     '' for none  KEYS[5] sales journal (stream)  KEYS[6] mark that its receipt is revoked, kept
     for ever: a receipt can be checked for ever
     KEYS[7] referral account, '' for none
     ARGV[1] state the lot was read in, '' for none  ARGV[2] micro-USDC of the lot  ARGV[3] reversal JSON
     ARGV[4] micro-USDC of the referral  ARGV[5] keep its account for, ms  ARGV[6] keep the claim for, ms: until its money
     is not waited for any more. After referralBook.lua, grantRevoke.lua and creditDebt.lua.
     Output  'suspended' | 'already' | 'unknown' no delivered claim
             | 'changed' the money is missing no more, or the lot moved meanwhile: read again ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'body', 'suspended', 'missing')
if held[1] ~= 'settled' or not held[2] then return 'unknown' end
if held[3] then return 'already' end
-- whoever saw it return may have ended its watch since: then nobody would give back what is taken now
if not held[4] then return 'changed' end
if KEYS[3] ~= '' and (redis.call('HGET', KEYS[3], 'state') or '') ~= ARGV[1] then return 'changed' end
revoke_grant(KEYS[2])
if KEYS[3] ~= '' and ARGV[1] == 'open' then
  redis.call('HDEL', KEYS[3], 'state')
  redis.call('HSET', KEYS[3], 'revoked', now)
elseif KEYS[4] ~= '' then
  owe(KEYS[4], ARGV[2])
end
redis.call('HSET', KEYS[1], 'suspended', now)
redis.call('PEXPIRE', KEYS[1], ARGV[6], 'GT')
redis.call('SET', KEYS[6], now)
if KEYS[7] ~= '' then refer(KEYS[7], -1, '-' .. ARGV[4], ARGV[5]) end
redis.call('XADD', KEYS[5], '*', 'reversal', ARGV[3])
return 'suspended'
