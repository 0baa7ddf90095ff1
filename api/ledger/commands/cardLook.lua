--[[ Draws a number before the card provider is asked about a checkout: of two answers, the one asked for later stands.
     KEYS[1] checkout  KEYS[2] checkouts that the worker follows (sorted set, score = ms of the next look)
     ARGV[1] member  ARGV[2] shortest time since the last look, ms  ARGV[3] ms until the worker looks again
     Output  > 0 the number | 0 looked at just before | -1 no such checkout ]]
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return -1
end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  redis.call('ZADD', KEYS[2], now + tonumber(ARGV[3]), ARGV[1])
  local status = redis.call('HGET', KEYS[1], 'status')
  if status == 'open' or status == 'expired' then redis.call('PERSIST', KEYS[1]) end -- as the version before did not
end
local last = tonumber(redis.call('HGET', KEYS[1], 'lookedMs') or '0')
if math.abs(now - last) < tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'lookedMs', now)
return redis.call('HINCRBY', KEYS[1], 'asked', 1)
