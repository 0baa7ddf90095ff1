--[[ Records that a claim's money did not move. A 'refused' payment may still be submitted by somebody until it expires, so it
     is watched; a 'void' one is proven unable to move ever again and is forgotten after a while. After paymentIdKept.lua.
     KEYS[1] claim  KEYS[2] being settled  KEYS[3] watched (score = validBefore, ms)  KEYS[4] settler's fence
     ARGV[1] member  ARGV[2] reason  ARGV[3] 'refused' | 'void'  ARGV[4] keep a void claim for, ms  ARGV[5] channel
     ARGV[6] fence the caller holds, '' when it holds none  ARGV[7] owner (of claim.lua) whose attempt was refused, '' for none
     Output  'recorded' | 'settled' it had moved | 'void' already proven, and stays so | 'unknown' no such claim
             'fenced' a newer settler is at work
             'taken_over' another owner continues it, or our own settler has sent it: that attempt may still move the money ]]
if ARGV[6] ~= '' and redis.call('GET', KEYS[4]) ~= ARGV[6] then return 'fenced' end
local held = redis.call('HMGET', KEYS[1], 'state', 'validBefore', 'owner', 'txs')
if not held[1] then return 'unknown' end
if held[1] == 'settled' or held[1] == 'void' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[3], ARGV[1])
  return held[1]
end
if ARGV[7] ~= '' and (held[3] ~= ARGV[7] or (held[4] or '') ~= '') then return 'taken_over' end
local until_ms = (tonumber(held[2]) or 0) * 1000
redis.call('HSET', KEYS[1], 'state', ARGV[3], 'reason', ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[1])
if ARGV[3] == 'void' then
  redis.call('ZREM', KEYS[3], ARGV[1])
  redis.call('HDEL', KEYS[1], 'payment', 'draft')
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  keep_id(KEYS[1], ARGV[1])
else
  redis.call('ZADD', KEYS[3], until_ms, ARGV[1])
end
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 'recorded'
