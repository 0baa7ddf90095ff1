--[[ Books bought credit, once per claim: onto the buyer's account when the secret that came with the purchase fits it (or
     is the account's first), else as a lot that a claim code opens.
     KEYS[1] lot of this purchase   KEYS[2] account
     ARGV[1] micro-USDC   ARGV[2] digest of the secret, '' for none
     Output  {'deposited', balance after} | {'lot', micro-USDC of the lot} ; the same again for the same lot ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local lot = redis.call('HMGET', KEYS[1], 'outcome', 'figure')
if lot[1] then return { lot[1], lot[2] } end
local auth = redis.call('HGET', KEYS[2], 'auth')
if ARGV[2] ~= '' and (not auth or auth == ARGV[2]) then
  local balance = redis.call('HINCRBY', KEYS[2], 'balance', ARGV[1])
  redis.call('HSETNX', KEYS[2], 'auth', ARGV[2])
  redis.call('HSET', KEYS[1], 'outcome', 'deposited', 'figure', balance, 'state', 'claimed', 'at', now)
  return { 'deposited', tostring(balance) }
end
redis.call('HSET', KEYS[1], 'outcome', 'lot', 'figure', ARGV[1], 'state', 'open', 'at', now)
return { 'lot', ARGV[1] }
