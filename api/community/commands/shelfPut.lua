--[[ Keeps one thing for a while, among a bounded number of its kind. What is there is never overwritten.
     KEYS[1] the thing   KEYS[2] all of its kind (sorted set, score = ms of keeping)
     ARGV[1] member  ARGV[2] JSON  ARGV[3] keep for, ms  ARGV[4] at most so many
     Output  'kept' | 'there' | 'full' ]]
if redis.call('EXISTS', KEYS[1]) == 1 then return 'there' end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[3]))
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then return 'full' end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 'kept'
