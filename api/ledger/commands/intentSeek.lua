--[[ Notes money that a buyer asked for and that was not found. The newest question of an intent counts. As many are sought as
     allowed, in all and from one place; so few that they are noted in a full store as well.
     KEYS[1] how it was asked for   KEYS[2] intents whose money is sought (sorted set, score = next look)
     KEYS[3] those of its /48 or address (sorted set, score = end of the search)
     ARGV[1] member  ARGV[2] row, JSON  ARGV[3] when it was asked for, Unix ms  ARGV[4] first look, Unix ms
     ARGV[5] how long it is sought, ms  ARGV[6] most in all  ARGV[7] most from one place
     Output  1 it is sought | 0 too many are ]]
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ARGV[3])
  if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[6]) then return 0 end
  if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[7]) then return 0 end
end
put(KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
redis.call('ZADD', KEYS[2], 'NX', ARGV[4], ARGV[1])
redis.call('ZADD', KEYS[3], ARGV[3] + ARGV[5], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[5])
return 1
