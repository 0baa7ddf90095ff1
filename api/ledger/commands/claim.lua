--[[ Claims one authorization for one request: the only way a payment gets bound to an answer.
     Repeating the call with the same owner (a lost reply) gives the same outcome.
     KEYS[1] claim   KEYS[2] claims being settled (sorted set, score = ms)
     ARGV[1] member  ARGV[2] owner (operation id)  ARGV[3] request fingerprint  ARGV[4] payment hash
     ARGV[5] lease, ms  ARGV[6] fields as JSON object of strings
     ARGV[7] channel that wakes the settler
     Output  'won' first claim, or a refused one tried again | 'retake' lease of the former owner ran out:
             the outcome is unknown, ask the chain first | 'settling' | 'settled' | 'void' | 'bound' ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local state = redis.call('HGET', KEYS[1], 'state')
local function take(attempt)
  redis.call('HSET', KEYS[1], 'state', 'settling', 'owner', ARGV[2], 'lease', now + tonumber(ARGV[5]), 'attempt', attempt)
  redis.call('ZADD', KEYS[2], now, ARGV[1])
  redis.call('PUBLISH', ARGV[7], ARGV[1])
end
local function put_fields()
  for field, value in pairs(cjson.decode(ARGV[6])) do redis.call('HSET', KEYS[1], field, value) end
end
if not state then
  put_fields()
  redis.call('HSET', KEYS[1], 'fp', ARGV[3], 'ph', ARGV[4], 'created', now)
  take(1)
  return 'won'
end
local held = redis.call('HMGET', KEYS[1], 'fp', 'ph', 'owner', 'lease', 'attempt')
if held[1] ~= ARGV[3] or held[2] ~= ARGV[4] then return 'bound' end
if state == 'refused' then
  redis.call('PERSIST', KEYS[1])
  redis.call('HDEL', KEYS[1], 'creditHolder', 'creditTo')
  put_fields()
  redis.call('HSET', KEYS[1], 'created', now) -- its draft is new
  take(tonumber(held[5] or '0') + 1)
  return 'won'
end
if state == 'settling' then
  if held[3] == ARGV[2] then return 'won' end
  if tonumber(held[4]) < now then
    take(tonumber(held[5]) + 1)
    return 'retake'
  end
end
return state
