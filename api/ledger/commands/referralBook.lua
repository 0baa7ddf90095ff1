--[[ Prepended to the scripts that change a referral account. What it is owed is kept until it is paid out, however long its
     owner waits; an account that is owed nothing is forgotten, but not before the last sale that may be taken back.
     keep_owed(account, keep for, ms): to be called after every change
     refer(account, sales, micro, keep for, ms): adds sales and what they earned, negative when they are taken back ]]
local function keep_owed(account, keep)
  local row = redis.call('HMGET', account, 'earned', 'paid')
  if tonumber(row[1] or '0') > tonumber(row[2] or '0') then
    redis.call('PERSIST', account)
  else
    redis.call('PEXPIRE', account, keep)
  end
end
local function refer(account, sales, micro, keep)
  redis.call('HINCRBY', account, 'sales', sales)
  redis.call('HINCRBY', account, 'earned', micro)
  keep_owed(account, keep)
end
