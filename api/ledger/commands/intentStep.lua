--[[ Writes the next state of an intent if nobody else has written one meanwhile, and books the transfers that it takes in the
     registry of all purchase paths. A repeated call (a lost reply) finds the version changed and reads what was written.
     KEYS[1] intent   KEYS[2] waiting intents   KEYS[3] intents with money and without an answer (sorted sets)
     KEYS[4] the buyer's   KEYS[5] intents whose money may still leave its chain (sorted set, score = next look)
     KEYS[6] intents without money that are kept for a while (sorted set, score = since)   KEYS[7] those of its address
     KEYS[8] those of its /48 near this price   KEYS[9] those of its /48 (sorted sets)   KEYS[10..] registry rows of transfers
     ARGV[1] member  ARGV[2] version it was read at  ARGV[3] body  ARGV[4] what the rows will hold
     ARGV[5] '1' it still waits for money  ARGV[6] '1' it has money but no answer  ARGV[7] forget it at, Unix ms; 0: never
     ARGV[8] '1' its money is to be watched from now on
     Output  'stored' | 'changed' | 'taken' a transfer has already paid for something ]]
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 'changed' end
for i = 10, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then return 'taken' end
end
for i = 10, #KEYS do redis.call('SET', KEYS[i], ARGV[4]) end
redis.call('HSET', KEYS[1], 'v', tonumber(ARGV[2]) + 1, 'body', ARGV[3])
if ARGV[5] ~= '1' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[1])
  redis.call('ZREM', KEYS[7], ARGV[1])
  -- an intent that was not paid keeps its part of the /48's share for as long as its amounts are reserved
  if ARGV[7] == '0' then redis.call('ZREM', KEYS[8], ARGV[1]) end
  redis.call('ZREM', KEYS[9], ARGV[1])
end
if ARGV[8] == '1' then redis.call('ZADD', KEYS[5], now, ARGV[1]) end
if ARGV[6] == '1' then
  redis.call('ZADD', KEYS[3], 'NX', now, ARGV[1])
else
  redis.call('ZREM', KEYS[3], ARGV[1])
end
if ARGV[7] == '0' then
  redis.call('PERSIST', KEYS[1])
  redis.call('ZREM', KEYS[6], ARGV[1])
else
  redis.call('PEXPIREAT', KEYS[1], ARGV[7])
  redis.call('ZADD', KEYS[6], now, ARGV[1])
end
return 'stored'
