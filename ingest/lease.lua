--[[ The right to work on one feed. A worker that begins gets a term; only the newest term may publish, so a worker
     that slept through its lease can do no harm. The hash never expires: terms only ever rise.
     Input   KEYS[1] lease hash {owner, term, seq, untilMs, askedMs}
             ARGV[1] begin | renew | release | look   ARGV[2] owner   ARGV[3] ttl ms
             ARGV[4] term (renew, release); '1' if whoever looks asks for the feed (look)
     Output  begin: {the new term, owner of the term before, its number, the number of its newest batch}
             | {0} somebody else holds the feed
             renew, release: 2 ours, and somebody else has asked for it within the ttl | 1 ours | 0 not ours any more
             look: 1 nobody else holds the feed | 0 ]]
local lease = KEYS[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local ttl = tonumber(ARGV[3])
local held = redis.call('HMGET', lease, 'owner', 'untilMs', 'term', 'seq', 'askedMs')
if ARGV[1] == 'begin' or ARGV[1] == 'look' then
  local isOthers = held[1] and held[1] ~= ARGV[2] and tonumber(held[2] or '0') > now
  --  this clock was set back: the holder of the feed may have died, and would keep it until the clock has caught up
  if isOthers and tonumber(held[2]) > now + ttl then redis.call('HSET', lease, 'untilMs', now + ttl) end
  if ARGV[1] == 'look' then
    if isOthers and ARGV[4] == '1' then redis.call('HSET', lease, 'askedMs', now) end
    return isOthers and 0 or 1
  end
  if isOthers then return {0} end
  local term = redis.call('HINCRBY', lease, 'term', 1)
  redis.call('HSET', lease, 'owner', ARGV[2], 'seq', 0, 'untilMs', now + ttl)
  if held[1] ~= ARGV[2] then redis.call('HDEL', lease, 'askedMs') end --  whoever asked has it, or asks the new owner
  return {term, held[1] or '', tonumber(held[3] or 0), tonumber(held[4] or 0)}
end
if held[3] ~= ARGV[4] or held[1] ~= ARGV[2] then return 0 end
redis.call('HSET', lease, 'untilMs', ARGV[1] == 'renew' and now + ttl or 0)
return math.abs(now - tonumber(held[5] or '0')) < ttl and 2 or 1
