--[[ Keeps one thing for a while, among a bounded number of its kind. A thing that is already kept is never overwritten.
     KEYS[1] the thing   KEYS[2] all of its kind (sorted set, score = ms of keeping)
     KEYS[3] how many came from one place since its first, '' when places have no share
     ARGV[1] member  ARGV[2] JSON  ARGV[3] keep for, ms  ARGV[4] most in all
     ARGV[5] most from one place  ARGV[6] within, ms
     Output  'kept' | 'there' already | 'full' | 'share' that place has used up its share ]]
if redis.call('EXISTS', KEYS[1]) == 1 then return 'there' end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[3]))
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[4]) then return 'full' end
if KEYS[3] ~= '' then
  if tonumber(redis.call('GET', KEYS[3]) or '0') >= tonumber(ARGV[5]) then return 'share' end
  if redis.call('INCR', KEYS[3]) == 1 then redis.call('PEXPIRE', KEYS[3], ARGV[6]) end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 'kept'
