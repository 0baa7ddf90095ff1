--[[ Drops a member whose claim is gone from a list of claims; a claim that was made anew meanwhile stays.
     KEYS[1] claim   KEYS[2] list (sorted set)   ARGV[1] member
     Output  1 dropped | 0 ]]
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
