--[[ Reserves room for one more checkout, unless as many as allowed are open in all, or its address or IPv6 /48 has its share.
     Called before the provider is asked. Repeating the call keeps the same room.
     KEYS[1] checkouts that the worker follows (sorted set)   KEYS[2] those of the address   KEYS[3] those of its /48
     (sorted sets, score = time after which nobody can pay, Unix ms)
     ARGV[1] member  ARGV[2] time after which nobody can pay, Unix ms  ARGV[3] most in all  ARGV[4] most per address
     ARGV[5] most per /48
     Output  'room' | 'full' | 'share' | error NOROOM. After room.lua. ]]
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 'full' end
for i = 2, 3 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) end
if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 'room' end
if is_full() then return no_room() end
for i = 2, 3 do
  if redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[i + 2]) then return 'share' end
end
for i = 2, 3 do
  redis.call('ZADD', KEYS[i], ARGV[2], ARGV[1])
  redis.call('PEXPIREAT', KEYS[i], ARGV[2])
end
return 'room'
