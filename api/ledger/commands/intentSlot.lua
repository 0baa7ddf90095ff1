--[[ Reserves a slot of the opening sale for one buyer until its lease ends. Asking again keeps the same slot.
     KEYS[1] buyers served (set)   KEYS[2] reserved slots (sorted set, score = lease end)
     ARGV[1] buyer  ARGV[2] slots  ARGV[3] lease, ms
     Output  'reserved' | 'served' this buyer already had one | 'sold_out' ]]
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return 'served' end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 'reserved' end
if redis.call('SCARD', KEYS[1]) + redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[2]) then return 'sold_out' end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[3]), ARGV[1])
return 'reserved'
