--[[ Opens a lot with its claim code, once, onto an account whose secret matches (or that has none yet).
     KEYS[1] lot   KEYS[2] account
     ARGV[1] digest of the secret   ARGV[2] account's name
     Output  'opened' (also when this account opened it before) | 'unknown' no such lot, or opened onto another account
             | 'mismatch' the account has another secret | 'frozen' it owes credit: credit opened there could not be spent ]]
local lot = redis.call('HMGET', KEYS[1], 'state', 'figure', 'by')
if not lot[1] then return 'unknown' end
local account = redis.call('HMGET', KEYS[2], 'auth', 'frozen')
if account[1] and account[1] ~= ARGV[1] then return 'mismatch' end
if lot[1] == 'claimed' then return lot[3] == ARGV[2] and 'opened' or 'unknown' end
if account[2] then return 'frozen' end
redis.call('HINCRBY', KEYS[2], 'balance', lot[2])
redis.call('HSETNX', KEYS[2], 'auth', ARGV[1])
redis.call('HSET', KEYS[1], 'state', 'claimed', 'by', ARGV[2])
return 'opened'
