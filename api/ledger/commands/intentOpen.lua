--[[ Opens a purchase intent and reserves its amounts: no two open intents ever wait for the same amount, and no single address, or
     IPv6 /48, waits for all amounts. Repeating the call (a lost reply) opens it once.
     KEYS[1] intent   KEYS[2] waiting intents (sorted set, score = end of grace)   KEYS[3] the buyer's (same)
     KEYS[4] those of the address (same)   KEYS[5] those of its /48 near this price (score = end of its last reservation)
     KEYS[6] those of its /48 (score = end of grace)
     KEYS[7..] for each amount to reserve, who had it (sorted set of 'until:name', score = since, Unix ms)
     ARGV[1] member  ARGV[2] body  ARGV[3] end of grace, Unix ms  ARGV[4] most per buyer  ARGV[5] most of all
     ARGV[6] most per address  ARGV[7] most per /48  ARGV[8] how long the record of who had an amount is kept, ms
     ARGV[9] the intent's name in that record
     then for each amount: reserved until, Unix ms, and the most of its kind per /48
     Output  'opened' | 'too_many' by this buyer, address or /48 | 'full'
             | otherwise for each amount: 'free' | 'taken' by another intent | 'share' the /48 has its share of such amounts
             | error NOROOM. After room.lua. ]]
if redis.call('EXISTS', KEYS[1]) == 1 then return 'opened' end
if is_full() then return no_room() end
for i = 3, 6 do redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now) end
if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[4]) then return 'too_many' end
if redis.call('ZCARD', KEYS[4]) >= tonumber(ARGV[6]) then return 'too_many' end
if redis.call('ZCARD', KEYS[6]) >= tonumber(ARGV[7]) then return 'too_many' end
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then return 'full' end
local near = redis.call('ZCARD', KEYS[5])
local verdicts, free = {}, true
for i = 7, #KEYS do
  local verdict = 'free'
  local last = redis.call('ZREVRANGE', KEYS[i], 0, 0)[1]
  if last and tonumber(string.match(last, '^%d+')) > now then verdict = 'taken' end
  if near >= tonumber(ARGV[2 * i - 3]) then verdict = 'share' end
  free = free and verdict == 'free'
  verdicts[#verdicts + 1] = verdict
end
if not free then return verdicts end
local reserved = tonumber(ARGV[3])
for i = 7, #KEYS do
  reserved = math.max(reserved, tonumber(ARGV[2 * i - 4]))
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - ARGV[8])
  redis.call('ZADD', KEYS[i], now, ARGV[2 * i - 4] .. ':' .. ARGV[9])
  redis.call('PEXPIREAT', KEYS[i], now + ARGV[8])
end
redis.call('HSET', KEYS[1], 'v', 1, 'body', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
for i = 3, 6 do
  local until_ms = i == 5 and string.format('%.0f', reserved) or ARGV[3]
  redis.call('ZADD', KEYS[i], until_ms, ARGV[1])
  redis.call('PEXPIREAT', KEYS[i], until_ms, 'GT')
  redis.call('PEXPIREAT', KEYS[i], until_ms, 'NX')
end
return 'opened'
