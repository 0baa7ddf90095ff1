--[[ Claims one authorization for one request: the only way in which a payment is bound to an answer.
     Repeating the call with the same owner (a lost reply) gives the same outcome.
     KEYS[1] claim   KEYS[2] claims being settled (sorted set, score = ms)
     KEYS[3] claims of this payer (set): the open ones, and some that have ended since the set was last cleaned up
     KEYS[4] row of its buyer's payment id, '' for none
     ARGV[1] member  ARGV[2] owner (operation id)  ARGV[3] request fingerprint  ARGV[4] payment hash
     ARGV[5] lease, ms  ARGV[6] fields as JSON object of strings
     ARGV[7] channel that wakes the settler  ARGV[8] how many claims of a payer may be open, '' to allow this one in any case
     ARGV[9] keep the payer's set for, ms  ARGV[10] prefix of the claims' keys. After room.lua and
     paymentIdKept.lua.
     Output  'won' first claim, or a refused one tried again | 'retake' the former owner's lease ran out:
             the outcome is unknown, ask the chain first | 'settling' | 'settled' | 'void' | 'bound'
             'crowded' the payer has too many open claims | error NOROOM, for a first claim whose money has not moved ]]
local state = redis.call('HGET', KEYS[1], 'state')
local function take(how)
  redis.call('HSET', KEYS[1], 'state', 'settling', 'owner', ARGV[2], 'lease', now + tonumber(ARGV[5]), 'how', how)
  redis.call('ZADD', KEYS[2], now, ARGV[1])
  redis.call('SADD', KEYS[3], ARGV[1])
  redis.call('PEXPIRE', KEYS[3], ARGV[9])
  redis.call('PUBLISH', ARGV[7], ARGV[1])
end
-- A claim has one name: the first, while that is bound to it. Whoever sends the same payment under many leaves no rows behind.
local function name_it()
  if KEYS[4] == '' or redis.call('HGET', KEYS[4], 'claim') ~= ARGV[1] then return end
  local first = redis.call('HGET', KEYS[1], 'named')
  if not first or redis.pcall('HGET', first, 'claim') ~= ARGV[1] then redis.call('HSET', KEYS[1], 'named', KEYS[4]) end
  keep_id(KEYS[1], ARGV[1])
end
-- The claims themselves say which of them have ended, whoever ended them. A refused one may still be submitted by somebody.
local function ended()
  local found = {}
  for _, member in ipairs(redis.call('SMEMBERS', KEYS[3])) do
    local held = redis.pcall('HGET', ARGV[10] .. member, 'state')
    if not held or held == 'settled' or held == 'void' then found[#found + 1] = member end
  end
  return found
end
if not state then
  local most, there = tonumber(ARGV[8]), redis.call('SCARD', KEYS[3])
  local over = most and there >= most and ended() or {}
  local is_crowded = most and there - #over >= most
  if most and is_full() then return no_room() end
  if not is_crowded then
    put(KEYS[1], ARGV[6])
    redis.call('HSET', KEYS[1], 'fp', ARGV[3], 'ph', ARGV[4], 'created', now)
    take('won')
    name_it()
  end
  -- last: a full store must refuse the first write; one by one: there may be thousands of claims whose money had moved
  for _, member in ipairs(over) do redis.call('SREM', KEYS[3], member) end
  return is_crowded and 'crowded' or 'won'
end
local held = redis.call('HMGET', KEYS[1], 'fp', 'ph', 'owner', 'lease', 'how')
if held[1] ~= ARGV[3] or held[2] ~= ARGV[4] then return 'bound' end
if state == 'refused' then
  redis.call('HDEL', KEYS[1], 'creditHolder', 'creditTo')
  put(KEYS[1], ARGV[6])
  redis.call('HSET', KEYS[1], 'created', now) -- its draft is new
  take('won')
  name_it()
  return 'won'
end
if state == 'settling' then
  if held[3] == ARGV[2] then return held[5] or 'retake' end
  if tonumber(held[4]) < now then
    take('retake')
    return 'retake'
  end
end
return state
