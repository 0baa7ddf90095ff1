--[[ A settled claim's money is not on chain. Without an answer nothing was given for it: an authorization is open again,
     and a transfer counts as never claimed. With an answer, the time since when it is missing is noted.
     KEYS[1] claim  KEYS[2] registry row of the transfer  KEYS[3] not yet final  KEYS[4] settled without an answer
     KEYS[5] being settled  KEYS[6] registry row under the former name   ARGV[1] member
     Output  {'unknown'} no settled claim | {'reopened'} | {'forgotten'} | {'missing', since when, Unix ms} ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'body', 'payment', 'missing')
if held[1] ~= 'settled' then
  redis.call('ZREM', KEYS[3], ARGV[1])
  return { 'unknown' }
end
if held[2] then
  if not held[4] then redis.call('HSET', KEYS[1], 'missing', now) end
  return { 'missing', held[4] or string.format('%.0f', now) }
end
for _, row in ipairs({ KEYS[2], KEYS[6] }) do
  if redis.call('GET', row) == ARGV[1] then redis.call('DEL', row) end
end
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
if not held[3] then
  redis.call('DEL', KEYS[1])
  return { 'forgotten' }
end
redis.call('HSET', KEYS[1], 'state', 'settling', 'lease', now, 'reopened', now)
redis.call('HDEL', KEYS[1], 'tx', 'log', 'block', 'blockMs', 'settledAt')
redis.call('ZADD', KEYS[5], now, ARGV[1])
return { 'reopened' }
