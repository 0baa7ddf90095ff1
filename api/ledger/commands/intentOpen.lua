--[[ Opens a purchase intent and reserves its amounts: no two open intents ever wait for the same one.
     Repeating the call (a lost reply) opens it once.
     KEYS[1] intent   KEYS[2] waiting intents (sorted set, score = end of grace)   KEYS[3] the buyer's (same)
     KEYS[4..] reserved amounts
     ARGV[1] member  ARGV[2] body  ARGV[3] end of grace, Unix ms  ARGV[4] most per buyer  ARGV[5] most of all
     Output  'opened' | 'collision' an amount is reserved | 'too_many' by this buyer | 'full' ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
if redis.call('EXISTS', KEYS[1]) == 1 then return 'opened' end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[4]) then return 'too_many' end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then return 'full' end
for i = 4, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then return 'collision' end
end
for i = 4, #KEYS do redis.call('SET', KEYS[i], ARGV[1], 'PXAT', ARGV[3]) end
redis.call('HSET', KEYS[1], 'v', 1, 'body', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[3], ARGV[1])
redis.call('PEXPIREAT', KEYS[3], ARGV[3])
return 'opened'
