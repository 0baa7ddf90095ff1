--[[ Reserves credit for an open purchase, as much as there is up to what is wanted; once per purchase.
     KEYS[1] hold   KEYS[2] account   KEYS[3] holds (sorted set, score = expiry)
     ARGV[1] member  ARGV[2] digest of the secret  ARGV[3] micro-USDC wanted  ARGV[4] expires, Unix ms  ARGV[5] account's name
     Output  micro-USDC held (0: nothing there) | -1 no such account, or another secret ]]
local kept = redis.call('HGET', KEYS[1], 'micro')
if kept then return tonumber(kept) end
local account = redis.call('HMGET', KEYS[2], 'auth', 'balance', 'held', 'frozen')
if not account[1] or account[1] ~= ARGV[2] then return -1 end
local free = math.max(0, tonumber(account[2] or '0') - tonumber(account[3] or '0'))
if account[4] then free = 0 end
local micro = math.min(free, tonumber(ARGV[3]))
if micro == 0 then return 0 end
redis.call('HINCRBY', KEYS[2], 'held', micro)
redis.call('HSET', KEYS[1], 'micro', micro, 'account', ARGV[5], 'state', 'held')
redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
return micro
