--[[ Keeps a referral account that is owed something, as referralBook.lua does after a change: until 2026-11-30 every one was to
     be forgotten some day.
     KEYS[1] referral account
     Output  1 it was to be forgotten | 0 ]]
local row = redis.call('HMGET', KEYS[1], 'earned', 'paid')
if tonumber(row[1] or '0') <= tonumber(row[2] or '0') then return 0 end
return redis.call('PERSIST', KEYS[1])
