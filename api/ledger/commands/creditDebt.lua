--[[ Prepended to the scripts that take credit back while its money is gone: an account is frozen as long as it owes some.
     unheld(account) -> micro-USDC that are on it and not held for a purchase; a frozen account has them too
     owe(account, micro), owe_less(account, micro): micro above 0 ]]
local function unheld(account)
  local row = redis.call('HMGET', account, 'balance', 'held')
  return math.max(0, tonumber(row[1] or '0') - tonumber(row[2] or '0'))
end
local function owe(account, micro)
  redis.call('HINCRBY', account, 'debt', micro)
  redis.call('HSET', account, 'frozen', now)
end
local function owe_less(account, micro)
  if redis.call('HINCRBY', account, 'debt', '-' .. micro) <= 0 then redis.call('HDEL', account, 'debt', 'frozen') end
end
