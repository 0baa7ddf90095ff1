--[[ Books that a checkout expired unpaid, or that its money went back: what was issued stops working, its receipt is
     revoked, an answer not yet given will never be given, and the referral is taken back. Such a claim is kept for as long
     as its checkout: until then a dispute may be won.
     KEYS[1] checkout  KEYS[2] claim  KEYS[3] settled claims without an answer  KEYS[4] checkouts that the worker follows
     KEYS[5] row of what was issued, '' for none  KEYS[6] referral account, '' for none  KEYS[7] sales journal (stream)
     KEYS[8] mark that its receipt is revoked, kept for ever: a receipt can be checked for ever  KEYS[9] paid ones whose answer could not be drawn (sorted set)
     KEYS[10] those that ended unpaid (sorted set, score = ms since)
     ARGV[1] member of KEYS[3]  ARGV[2] number drawn by cardLook  ARGV[3] 'expired' | 'refunded'  ARGV[4] member of KEYS[4]
     ARGV[5] micro-USDC of the referral  ARGV[6] entry for the journal when an answered sale is taken back, JSON
     ARGV[7] how many that ended unpaid are kept  ARGV[8] prefix of the checkouts' keys
     ARGV[9] keep the checkout for, ms, unless that is decided already
     ARGV[10] keep the referral account for, ms. After referralBook.lua and grantRevoke.lua.
     Output  'booked' | 'stale' a later look was booked | 'unknown' ]]
local held = redis.call('HMGET', KEYS[1], 'status', 'booked', 'credited', 'claimed')
if not held[1] then return 'unknown' end
if tonumber(ARGV[2]) <= tonumber(held[2] or '0') then return 'stale' end
redis.call('HSET', KEYS[1], 'status', ARGV[3], 'booked', ARGV[2])
redis.call('ZREM', KEYS[4], ARGV[4])
redis.call('ZREM', KEYS[9], ARGV[4])
if redis.call('PTTL', KEYS[1]) == -1 then redis.call('PEXPIRE', KEYS[1], ARGV[9]) end
-- an unpaid checkout leaves little behind: a draft that can be drawn again from its input is too old by now anyway
if ARGV[3] == 'expired' and redis.call('HEXISTS', KEYS[1], 'input') == 1 then redis.call('HDEL', KEYS[1], 'draft') end
if ARGV[3] == 'expired' then
  redis.call('ZADD', KEYS[10], 'NX', now, ARGV[4])
  local over = math.min(100, redis.call('ZCARD', KEYS[10]) - tonumber(ARGV[7]))
  for _, member in ipairs(over > 0 and redis.call('ZRANGE', KEYS[10], 0, over - 1) or {}) do
    if redis.pcall('HGET', ARGV[8] .. member, 'status') == 'expired' then redis.call('UNLINK', ARGV[8] .. member) end
    redis.call('ZREM', KEYS[10], member)
    redis.call('ZREM', KEYS[4], member)
  end
else
  redis.call('ZREM', KEYS[10], ARGV[4])
end
if ARGV[3] ~= 'refunded' or held[1] == 'refunded' then return 'booked' end
if KEYS[6] ~= '' and held[3] then
  redis.call('HDEL', KEYS[1], 'credited')
  refer(KEYS[6], -1, '-' .. ARGV[5], ARGV[10])
end
local claim = redis.call('HMGET', KEYS[2], 'state', 'body')
if claim[1] == 'settled' and not claim[2] then
  redis.call('HSET', KEYS[2], 'state', 'void', 'reason', 'refunded')
  redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
  redis.call('ZREM', KEYS[3], ARGV[1])
elseif held[4] then
  redis.call('SET', KEYS[8], now)
  redis.call('XADD', KEYS[7], '*', 'reversal', ARGV[6])
end
revoke_grant(KEYS[5])
return 'booked'
