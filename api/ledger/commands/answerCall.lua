--[[ Takes one call of a metered grant (an hour pass) and keeps the answer that it pays for, in one step, under the name that its
     caller has for the call. Repeated it takes nothing and gives what is kept: the first answer is the answer. A row that is
     broken counts as none, as in spendCalls.lua. In the last tenth of the store nothing is kept, and so nothing is taken here: repeated
     it would be taken again. Such a call is taken by spendCalls, which keeps the figures alone.
     KEYS[1] the call   KEYS[2] row of the grant
     ARGV[1] keep it for, ms   ARGV[2] answer
     Output  { 'answered', calls left, expires (Unix ms), answer } | { 'unknown' } | { 'expired' } | { 'used_up' } | { 'no_room' } ]]
local kept = redis.call('HMGET', KEYS[1], 'left', 'expires', 'answer')
if kept[3] then return { 'answered', kept[1], kept[2], kept[3] } end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function whole(text) return text and string.find(text, '^%d+$') and #text <= 15 and tonumber(text) end
local row = redis.pcall('HMGET', KEYS[2], 'calls', 'expires')
local calls, expires = whole(row[1]), whole(row[2])
if not calls or not expires then return { 'unknown' } end
if expires <= now then return { 'expired' } end
if calls == 0 then return { 'used_up' } end
if is_full() then return { 'no_room' } end
redis.call('HSET', KEYS[2], 'calls', calls - 1)
redis.call('HSET', KEYS[1], 'left', calls - 1, 'expires', row[2], 'answer', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return { 'answered', tostring(calls - 1), row[2], ARGV[2] }
