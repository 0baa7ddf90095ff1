--[[ Books that a checkout is paid and, once in its life, the claim that answers it, unless a person has granted credit for
     its money. After a dispute was won, what was taken back works again. After referralBook.lua and
     grantRevoke.lua.
     KEYS[1] checkout  KEYS[2] claim  KEYS[3] settled claims without an answer  KEYS[4] checkouts that the worker follows
     KEYS[5] row of what was issued, '' for none  KEYS[6] referral account, '' for none  KEYS[7] sales journal (stream)
     KEYS[8] mark that its receipt is revoked  KEYS[9] paid ones whose answer could not be drawn (sorted set, score = ms since)
     KEYS[10] those that ended unpaid (same)  KEYS[11] registry row of the money
     ARGV[1] member of KEYS[3]  ARGV[2] number drawn by cardLook  ARGV[3] fields of the claim as JSON object of strings,
     '' while the buyer's input is missing  ARGV[4] keep checkout and referral account for, ms  ARGV[5] member of KEYS[4]  ARGV[6] micro-USDC
     of the referral  ARGV[7] entry for the journal when a sale that was taken back is valid again, JSON
     Output  'claimed' | 'paid' nothing to claim (yet, or again) | 'stale' a later look was booked | 'unknown'
             | 'taken' the money has bought something else: nothing is sold for it, and the worker looks no more ]]
local held = redis.call('HMGET', KEYS[1], 'status', 'booked', 'claimed', 'credited')
if not held[1] then return 'unknown' end
if tonumber(ARGV[2]) <= tonumber(held[2] or '0') then return 'stale' end
local owner = redis.call('GET', KEYS[11])
if owner and owner ~= ARGV[1] and not held[3] then
  redis.call('ZREM', KEYS[4], ARGV[5])
  redis.call('ZREM', KEYS[9], ARGV[5])
  if redis.call('PTTL', KEYS[1]) == -1 then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
  return 'taken'
end
-- also for what was claimed before there were such rows
if not owner then redis.call('SET', KEYS[11], ARGV[1]) end
redis.call('HSET', KEYS[1], 'status', 'paid', 'booked', ARGV[2])
if held[1] ~= 'paid' then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
redis.call('ZREM', KEYS[4], ARGV[5])
redis.call('ZREM', KEYS[10], ARGV[5])
if KEYS[6] ~= '' and not held[4] then
  redis.call('HSET', KEYS[1], 'credited', '1')
  refer(KEYS[6], 1, ARGV[6], ARGV[4])
end
if held[3] then
  if held[1] ~= 'refunded' then return 'paid' end
  local claim = redis.call('HMGET', KEYS[2], 'state', 'body')
  if claim[1] == 'void' and not claim[2] then
    redis.call('HSET', KEYS[2], 'state', 'settled')
    redis.call('HDEL', KEYS[2], 'reason')
    redis.call('PERSIST', KEYS[2])
    redis.call('ZADD', KEYS[3], now, ARGV[1])
  else
    redis.call('DEL', KEYS[8])
    redis.call('XADD', KEYS[7], '*', 'reversal', ARGV[7])
  end
  restore_grant(KEYS[5])
  return 'paid'
end
if ARGV[3] == '' then
  local known = redis.call('HMGET', KEYS[1], 'draft', 'input')
  if known[1] or known[2] then redis.call('ZADD', KEYS[9], 'NX', now, ARGV[5]) end
  return 'paid'
end
redis.call('ZREM', KEYS[9], ARGV[5])
put(KEYS[2], ARGV[3])
redis.call('HSET', KEYS[2], 'state', 'settled', 'created', now, 'settledAt', now)
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('HSET', KEYS[1], 'claimed', '1', 'requestHash', cjson.decode(ARGV[3]).fp)
redis.call('HDEL', KEYS[1], 'draft', 'input')
return 'claimed'
