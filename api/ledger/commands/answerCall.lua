--[[ Takes one call of a metered grant (an hour pass) and keeps the answer that it pays for, in one step, under the caller's name
     for the call. A repeated call takes nothing and returns what is kept: the first answer is the answer. In the last tenth of the
     store nothing is kept, and so nothing is taken here, because a repeated call would be charged again. Such a call is taken by
     spendCalls, which keeps only the figures. Nor is anything taken for an answer whose time is over by the ledger's clock: the ledger
     may have been asked long before.
     KEYS[1] the call   KEYS[2] row of the grant
     ARGV[1] keep it for, ms   ARGV[2] answer   ARGV[3] its last ms, Unix; '' when it does not grow old
     Output  { 'answered', calls left, expires (Unix ms), answer } | { 'unknown' } | { 'expired' } | { 'used_up' }
             | { 'outdated' } | { 'no_room' } ]]
local function kept()
  local call = redis.call('HMGET', KEYS[1], 'left', 'expires', 'answer')
  return call[3] and { 'answered', unpack(call) }
end
if kept() then return kept() end
local left, expires, lasts = calls_left(KEYS[2])
if expires == 0 then return { 'unknown' } end
if not lasts then return { 'expired' } end
if left == 0 then return { 'used_up' } end
local until_ms = tonumber(ARGV[3])
if until_ms and now > until_ms then return { 'outdated' } end
if is_full() then return { 'no_room' } end
redis.call('HSET', KEYS[2], 'calls', left - 1)
redis.call('HSET', KEYS[1], 'left', left - 1, 'expires', string.format('%.0f', expires), 'answer', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return kept()
