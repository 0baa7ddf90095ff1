--[[ Ends a reservation: spends it, or gives it back. The first end counts; repeating it changes nothing. With a time, only if it
     has expired by then: a buyer who asks again prolongs it, also after it was listed as expired.
     KEYS[1] hold   KEYS[2] account   KEYS[3] holds (sorted set, score = expiry)
     ARGV[1] member  ARGV[2] 'spent' | 'released'  ARGV[3] forget the hold after, ms  ARGV[4] the time, Unix ms; '' for none
     Output  how it ended: 'spent' | 'released' | 'none' there was no reservation | 'held' it has not expired ]]
local hold = redis.call('HMGET', KEYS[1], 'state', 'micro')
if not hold[1] then return 'none' end
if hold[1] ~= 'held' then return hold[1] end
local expires = ARGV[4] ~= '' and redis.call('ZSCORE', KEYS[3], ARGV[1])
if expires and tonumber(expires) > tonumber(ARGV[4]) then return 'held' end
redis.call('HINCRBY', KEYS[2], 'held', -tonumber(hold[2]))
if ARGV[2] == 'spent' then redis.call('HINCRBY', KEYS[2], 'balance', -tonumber(hold[2])) end
redis.call('HSET', KEYS[1], 'state', ARGV[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return ARGV[2]
