--[[ A settled claim's money is in another block now: the claim and the registry follow it, nothing is delivered again.
     KEYS[1] claim  KEYS[2] registry row of the transfer where it is now  KEYS[3] not yet final (score = block)
     ARGV[1] member  ARGV[2] tx  ARGV[3] log index  ARGV[4] block number  ARGV[5] block time, ms
     Output  'moved' | 'taken' that transfer pays another claim | 'unknown' no settled claim ]]
if redis.call('HGET', KEYS[1], 'state') ~= 'settled' then return 'unknown' end
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[1] then return 'taken' end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[1], 'tx', ARGV[2], 'log', ARGV[3], 'block', ARGV[4], 'blockMs', ARGV[5])
redis.call('HDEL', KEYS[1], 'missing')
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
return 'moved'
