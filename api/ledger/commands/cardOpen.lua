--[[ Writes down a card checkout and who looks after it.
     KEYS[1] checkout   KEYS[2] checkouts that are looked after (sorted set, score = ms of the next look)
     KEYS[3] those of the address (sorted set, score = until when they can be paid), '' for none
     ARGV[1] member  ARGV[2] fields as JSON object of strings  ARGV[3] forget it at, Unix ms  ARGV[4] first look, Unix ms
     ARGV[5] until when it can be paid, Unix ms
     Output  1 ]]
for field, value in pairs(cjson.decode(ARGV[2])) do redis.call('HSET', KEYS[1], field, value) end
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
if KEYS[3] ~= '' then
  local t = redis.call('TIME')
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', t[1] * 1000)
  redis.call('ZADD', KEYS[3], ARGV[5], ARGV[1])
  redis.call('PEXPIREAT', KEYS[3], ARGV[5])
end
return 1
