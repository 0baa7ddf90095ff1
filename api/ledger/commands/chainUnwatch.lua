--[[ Ends the watch of a claim that is settled no more, or whose money is final. One that was settled anew meanwhile stays: its
     new block may be dropped too.
     KEYS[1] claim   KEYS[2] not yet final (sorted set, score = block)
     ARGV[1] member   ARGV[2] block in which its money is final, '' if it was not settled
     Output  1 watched no more | 0 ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'block')
if held[1] == 'settled' and (held[2] or '') ~= ARGV[2] then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])
