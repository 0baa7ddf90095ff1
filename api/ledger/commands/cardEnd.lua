--[[ Books that a checkout expired unpaid, or that its money went back: what was issued stops working, its receipt is
     revoked, an answer not yet given will never be given, and the referral is taken back. Such a claim is kept for as long
     as its checkout: until then a dispute may be won.
     KEYS[1] checkout  KEYS[2] claim  KEYS[3] settled claims without an answer  KEYS[4] checkouts that the worker follows
     KEYS[5] row of what was issued, '' for none  KEYS[6] referral account, '' for none  KEYS[7] sales journal (stream)
     KEYS[8] mark that its receipt is revoked, kept for ever: a receipt can be checked for ever
     KEYS[9] paid ones whose answer could not be drawn (sorted set)
     KEYS[10] those that ended unpaid (sorted set, score = ms since)
     ARGV[1] member of KEYS[3]  ARGV[2] number drawn by cardLook  ARGV[3] 'expired' | 'refunded'  ARGV[4] member of KEYS[4]
     ARGV[5] micro-USDC of the referral  ARGV[6] entry for the journal when an answered sale is taken back, JSON
     ARGV[7] how many that ended unpaid are kept  ARGV[8] prefix of the checkouts' keys
     ARGV[9] keep the checkout for, ms, unless that is decided already
     ARGV[10] keep the referral account for, ms. After referralBook.lua and grantRevoke.lua.
     Output  'booked' | 'stale' a later look was booked | 'unknown' ]]
local checkout, claim, unanswered, followed, issued, account, journal, revoked, undrawn, ended = unpack(KEYS)
local key, look, status, digest, share, entry, most_ended, prefix, keep, keep_account = unpack(ARGV)
local was, booked, credited, claimed = unpack(redis.call('HMGET', checkout, 'status', 'booked', 'credited', 'claimed'))
if not was then return 'unknown' end
if tonumber(look) <= tonumber(booked or '0') then return 'stale' end
redis.call('HSET', checkout, 'status', status, 'booked', look)
redis.call('ZREM', followed, digest)
redis.call('ZREM', undrawn, digest)
if redis.call('PTTL', checkout) == -1 then redis.call('PEXPIRE', checkout, keep) end
-- an unpaid checkout leaves little behind: a draft that can be drawn again from its input is too old by now anyway
if status == 'expired' and redis.call('HEXISTS', checkout, 'input') == 1 then redis.call('HDEL', checkout, 'draft') end
if status == 'expired' then
  redis.call('ZADD', ended, 'NX', now, digest)
  local over = math.min(100, redis.call('ZCARD', ended) - tonumber(most_ended))
  for _, member in ipairs(over > 0 and redis.call('ZRANGE', ended, 0, over - 1) or {}) do
    if redis.pcall('HGET', prefix .. member, 'status') == 'expired' then redis.call('UNLINK', prefix .. member) end
    redis.call('ZREM', ended, member)
    redis.call('ZREM', followed, member)
  end
else
  redis.call('ZREM', ended, digest)
end
if status ~= 'refunded' or was == 'refunded' then return 'booked' end
if account ~= '' and credited then
  redis.call('HDEL', checkout, 'credited')
  refer(account, -1, '-' .. share, keep_account)
end
local state, body = unpack(redis.call('HMGET', claim, 'state', 'body'))
if state == 'settled' and not body then
  redis.call('HSET', claim, 'state', 'void', 'reason', 'refunded')
  redis.call('PEXPIRE', claim, redis.call('PTTL', checkout))
  redis.call('ZREM', unanswered, key)
elseif claimed then
  redis.call('SET', revoked, now)
  redis.call('XADD', journal, '*', 'reversal', entry)
end
revoke_grant(issued)
return 'booked'
