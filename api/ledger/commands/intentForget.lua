--[[ Forgets an intent that is kept although no money arrived, before its time, because there are too many. An intent that took
     money meanwhile, or was left in the list by a former version, has no time to be forgotten at: it stays.
     The record of who had its amounts is removed too, except for an amount that another known intent had before: late money over
     it would be taken for that intent's.
     KEYS[1] intent   KEYS[2] intents without money that are kept for a while (sorted set)
     KEYS[3..] for each of its amounts, who had it (sorted set of 'until:name', score = since)
     ARGV[1] member  ARGV[2] its name among those who had an amount  ARGV[3] the same as a former version wrote it
     Output  'forgotten' | 'kept' it has money | 'gone' it is not in the list any more ]]
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 'gone' end
if redis.call('PTTL', KEYS[1]) == -1 then return 'kept' end
redis.call('UNLINK', KEYS[1])
for i = 3, #KEYS do
  local first = redis.call('ZRANGE', KEYS[i], 0, 0)[1]
  local name = first and string.match(first, '^%d+:(.+)$')
  if name and (name == ARGV[2] or name == ARGV[3]) then redis.call('ZREM', KEYS[i], first) end
end
return 'forgotten'
