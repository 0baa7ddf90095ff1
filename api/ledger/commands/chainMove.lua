--[[ A settled claim's money is in another block now: the claim and the registry follow it, nothing is delivered again.
     KEYS[1] claim  KEYS[2] registry row of the transfer where it is now  KEYS[3] not yet final (score = block)
     KEYS[4] sales journal (stream): for an answered claim it records which transaction has the money
     ARGV[1] member  ARGV[2] tx  ARGV[3] log index  ARGV[4] block number  ARGV[5] block time, ms
     ARGV[6], ARGV[7] entries for the journal when another transaction has the money: gone there, and here now, JSON
     Output  'moved' | 'taken' that transfer pays for another claim | 'unknown' no settled claim ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'tx', 'log', 'body', 'suspended')
if held[1] ~= 'settled' then return 'unknown' end
local owner = redis.call('GET', KEYS[2])
if owner and owner ~= ARGV[1] then return 'taken' end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('HSET', KEYS[1], 'tx', ARGV[2], 'log', ARGV[3], 'block', ARGV[4], 'blockMs', ARGV[5])
redis.call('HDEL', KEYS[1], 'missing')
if held[4] and not held[5] and (held[2] ~= ARGV[2] or held[3] ~= ARGV[3]) then
  redis.call('XADD', KEYS[4], '*', 'reversal', ARGV[6])
  redis.call('XADD', KEYS[4], '*', 'reversal', ARGV[7])
end
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
return 'moved'
