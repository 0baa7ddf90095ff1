--[[ Ends the watch over an intent's money, unless the intent was written since it was read: it may have taken money.
     KEYS[1] intent   KEYS[2] intents whose money may still leave its chain (sorted set)
     ARGV[1] member  ARGV[2] version it was read at, '' when there was no intent
     Output  'ended' | 'already' another worker has ended it | 'changed' ]]
if (redis.call('HGET', KEYS[1], 'v') or '') ~= ARGV[2] then return 'changed' end
return redis.call('ZREM', KEYS[2], ARGV[1]) == 1 and 'ended' or 'already'
