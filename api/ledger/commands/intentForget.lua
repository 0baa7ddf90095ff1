--[[ Forgets an intent that is kept although no money came, before its time: there are too many. One that took money
     meanwhile, or was left in the list by a version before, has no time at which it is forgotten: it stays.
     KEYS[1] intent   KEYS[2] intents without money that are kept for a while (sorted set)
     ARGV[1] member
     Output  'forgotten' | 'kept' it has money | 'gone' it is not in the list any more ]]
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 'gone' end
if redis.call('PTTL', KEYS[1]) == -1 then return 'kept' end
redis.call('UNLINK', KEYS[1])
return 'forgotten'
