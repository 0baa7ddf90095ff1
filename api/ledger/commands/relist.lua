--[[ Puts a settled but unanswered claim back into the list of unanswered claims: it should never have left it.
     KEYS[1] claim   KEYS[2] settled claims without an answer (sorted set)   ARGV[1] member
     Output  1 it was missing | 0 ]]
if redis.call('HGET', KEYS[1], 'state') ~= 'settled' then return 0 end
if redis.call('HEXISTS', KEYS[1], 'body') == 1 or redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
return redis.call('ZADD', KEYS[2], now, ARGV[1])
