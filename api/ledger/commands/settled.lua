--[[ Records that the money of a claim has moved, and books the transfer so that nothing else can be bought with it.
     KEYS[1] claim  KEYS[2] registry row of the transfer  KEYS[3] being settled  KEYS[4] settled without an answer  KEYS[5] watched
     KEYS[6] not yet final (sorted set, score = block)  KEYS[7] the row under its former name, '' when that is not known
     ARGV[1] member  ARGV[2] tx  ARGV[3] log index  ARGV[4] block number  ARGV[5] block time, ms  ARGV[6] channel
     ARGV[7] how long to keep a claim whose transfer paid for something else, ms
     Output  'recorded' | 'already' | 'taken' the transfer has already paid for something: the claim is void | 'unknown' no such claim.
     After paymentIdKept.lua. ]]
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 'unknown' end
if state == 'settled' then
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('ZREM', KEYS[5], ARGV[1])
  return 'already'
end
-- A row of this claim's own, without the settled state, means that the claim was answered and forgotten before (RPL-12); or, for a
-- claim that was opened again, that the chain has returned to where the money was at first (CHN-02).
local own = redis.call('HEXISTS', KEYS[1], 'reopened') == 1 and ARGV[1]
local function is_spent(row)
  local owner = row ~= '' and redis.call('GET', row)
  return owner and owner ~= own
end
if is_spent(KEYS[2]) or is_spent(KEYS[7]) then
  redis.call('HSET', KEYS[1], 'state', 'void', 'reason', 'nonce_used')
  redis.call('HDEL', KEYS[1], 'payment', 'draft')
  redis.call('PEXPIRE', KEYS[1], ARGV[7])
  keep_id(KEYS[1], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('ZREM', KEYS[5], ARGV[1])
  redis.call('PUBLISH', ARGV[6], ARGV[1])
  return 'taken'
end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[1], 'state', 'settled', 'tx', ARGV[2], 'log', ARGV[3], 'block', ARGV[4], 'blockMs', ARGV[5], 'settledAt', now)
redis.call('PERSIST', KEYS[1])
keep_id(KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('ZADD', KEYS[4], now, ARGV[1])
redis.call('ZADD', KEYS[6], ARGV[4], ARGV[1])
redis.call('PUBLISH', ARGV[6], ARGV[1])
return 'recorded'
