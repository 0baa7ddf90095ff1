--[[ Pays for one request with credit: debit and claim in one step. Repeating the operation does not debit again. It is blocked by
     an unanswered spend for the same question, or by the spend that already has the buyer's own name.
     KEYS[1] claim   KEYS[2] account   KEYS[3] settled claims without an answer (sorted set)
     KEYS[4] the account's current spend for this question or name, '' for none
     ARGV[1] member  ARGV[2] request fingerprint  ARGV[3] fields as JSON object of strings
     ARGV[4] digest of the secret  ARGV[5] micro-USDC  ARGV[6] how long it stays current, ms  ARGV[7] prefix of the claims' keys
     Output  {'won', balance after} | {'settled', balance} claimed before by this request | {'bound', ''} by another
             | {'refused', ''} no such account, or another secret | {'short', credit available} | {'open', member of that spend}
             | error NOROOM. After room.lua. ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'fp', 'ph')
local account = redis.call('HMGET', KEYS[2], 'auth', 'balance', 'held', 'frozen')
if not account[1] or account[1] ~= ARGV[4] then return { 'refused', '' } end
if held[1] then
  if held[2] ~= ARGV[2] then return { 'bound', '' } end
  return { 'settled', account[2] }
end
if KEYS[4] ~= '' then
  local open = redis.call('GET', KEYS[4])
  if open and redis.call('EXISTS', ARGV[7] .. open) == 1 then return { 'open', open } end
end
local free = math.max(0, tonumber(account[2] or '0') - tonumber(account[3] or '0'))
if account[4] then free = 0 end
if free < tonumber(ARGV[5]) then return { 'short', string.format('%.0f', free) } end
if is_full() then return no_room() end
local balance = redis.call('HINCRBY', KEYS[2], 'balance', -tonumber(ARGV[5]))
put(KEYS[1], ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'settled', 'fp', ARGV[2], 'created', now, 'settledAt', now, 'blockMs', now)
redis.call('ZADD', KEYS[3], now, ARGV[1])
if KEYS[4] ~= '' then redis.call('SET', KEYS[4], ARGV[1], 'PX', ARGV[6]) end
return { 'won', string.format('%.0f', balance) }
