--[[ The worker looks at a checkout at a time, or no longer. One that is listed is kept as long as no money is booked: it
     may have come unseen.
     KEYS[1] checkout  KEYS[2] checkouts that the worker follows (sorted set, score = ms of the next look)
     ARGV[1] member  ARGV[2] next look, Unix ms, never forward; '' for none  ARGV[3] then forget it after, ms
     Output  1 | 0 no such checkout ]]
local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 0
end
if ARGV[2] ~= '' then
  redis.call('ZADD', KEYS[2], 'GT', ARGV[2], ARGV[1])
  if status == 'open' or status == 'expired' then redis.call('PERSIST', KEYS[1]) end
else
  redis.call('ZREM', KEYS[2], ARGV[1])
  if redis.call('PTTL', KEYS[1]) == -1 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
end
return 1
