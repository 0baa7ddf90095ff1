--[[ Stores a card checkout and lists it for the worker.
     KEYS[1] checkout   KEYS[2] checkouts that the worker follows (sorted set, score = ms of the next look)
     ARGV[1] member  ARGV[2] fields as JSON object of strings  ARGV[3] forget it at, Unix ms  ARGV[4] first look, Unix ms
     Output  1 ]]
for field, value in pairs(cjson.decode(ARGV[2])) do redis.call('HSET', KEYS[1], field, value) end
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
return 1
