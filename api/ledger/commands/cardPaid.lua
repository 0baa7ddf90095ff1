--[[ Books that a checkout is paid and, once in its life, the claim that answers it, unless a person has granted credit for
     its money. After a dispute was won, what was taken back works again. After referralBook.lua
     and grantRevoke.lua.
     KEYS[1] checkout  KEYS[2] claim  KEYS[3] settled claims without an answer  KEYS[4] checkouts that the worker follows
     KEYS[5] row of what was issued, '' for none  KEYS[6] referral account, '' for none  KEYS[7] sales journal (stream)
     KEYS[8] mark that its receipt is revoked  KEYS[9] paid ones whose answer could not be drawn (sorted set, score = ms since)
     KEYS[10] those that ended unpaid (same)  KEYS[11] registry row of the money
     ARGV[1] member of KEYS[3]  ARGV[2] number drawn by cardLook  ARGV[3] fields of the claim as JSON object of strings,
     '' while the buyer's input is missing  ARGV[4] keep checkout and referral account for, ms  ARGV[5] member of KEYS[4]
     ARGV[6] micro-USDC of the referral  ARGV[7] entry for the journal when a sale that was taken back is valid again, JSON
     Output  'claimed' | 'paid' nothing to claim (yet, or again) | 'stale' a later look was booked | 'unknown'
             | 'taken' the money has bought something else: nothing is sold for it, and the worker looks no more ]]
local checkout, claim, unanswered, followed, issued, account, journal, revoked, undrawn, ended, registry = unpack(KEYS)
local key, look, fields, keep, digest, share, entry = unpack(ARGV)
local was, booked, claimed, credited = unpack(redis.call('HMGET', checkout, 'status', 'booked', 'claimed', 'credited'))
if not was then return 'unknown' end
if tonumber(look) <= tonumber(booked or '0') then return 'stale' end
local owner = redis.call('GET', registry)
if owner and owner ~= key and not claimed then
  redis.call('ZREM', followed, digest)
  redis.call('ZREM', undrawn, digest)
  if redis.call('PTTL', checkout) == -1 then redis.call('PEXPIRE', checkout, keep) end
  return 'taken'
end
-- also for what was claimed before there were such rows
if not owner then redis.call('SET', registry, key) end
redis.call('HSET', checkout, 'status', 'paid', 'booked', look)
if was ~= 'paid' then redis.call('PEXPIRE', checkout, keep) end
redis.call('ZREM', followed, digest)
redis.call('ZREM', ended, digest)
if account ~= '' and not credited then
  redis.call('HSET', checkout, 'credited', '1')
  refer(account, 1, share, keep)
end
if claimed then
  if was ~= 'refunded' then return 'paid' end
  local state, body = unpack(redis.call('HMGET', claim, 'state', 'body'))
  if state == 'void' and not body then
    redis.call('HSET', claim, 'state', 'settled')
    redis.call('HDEL', claim, 'reason')
    redis.call('PERSIST', claim)
    redis.call('ZADD', unanswered, now, key)
  else
    redis.call('DEL', revoked)
    redis.call('XADD', journal, '*', 'reversal', entry)
  end
  restore_grant(issued)
  return 'paid'
end
if fields == '' then
  local known = redis.call('HMGET', checkout, 'draft', 'input')
  if known[1] or known[2] then redis.call('ZADD', undrawn, 'NX', now, digest) end
  return 'paid'
end
redis.call('ZREM', undrawn, digest)
put(claim, fields)
redis.call('HSET', claim, 'state', 'settled', 'created', now, 'settledAt', now)
redis.call('ZADD', unanswered, now, key)
redis.call('HSET', checkout, 'claimed', '1', 'requestHash', cjson.decode(fields).fp)
redis.call('HDEL', checkout, 'draft', 'input')
return 'claimed'
