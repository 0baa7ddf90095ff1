--[[ Gives one call back to a metered grant (an hour pass) that took it for an answer which was never sent. That it was done is kept
     under the operation's id, so that repeating the operation (a lost reply) gives nothing more. A grant that is over gets it too:
     one whose money has left its chain works again with its money. A broken row gets nothing.
     KEYS[1] this operation   KEYS[2] row of the grant
     ARGV[1] keep the operation for, ms
     Output  1 given back, now or before | 0 no such row ]]
if redis.call('GET', KEYS[1]) then return 1 end
local left, expires = calls_left(KEYS[2])
if expires == 0 then return 0 end
redis.call('HSET', KEYS[2], 'calls', left + 1)
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return 1
