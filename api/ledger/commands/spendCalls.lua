--[[ Takes calls from metered grants (hour passes, permits): many rows in one step, each as far as it goes. The outcome
     is kept under the operation's id, so that repeating the operation (a lost reply) takes nothing again. All rows are read
     before the first is written; one that is broken counts as none.
     KEYS[1] outcome of this operation   KEYS[2..] rows, each once
     ARGV[1] keep the outcome for, ms    ARGV[2..] calls wanted of each row
     Output  four numbers a row: calls taken, calls left, expires (Unix ms; 0: no such row), 1 when it has expired ]]
local kept = redis.call('GET', KEYS[1])
if kept then return cjson.decode(kept) end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function whole(text) return text and string.find(text, '^%d+$') and #text <= 15 and tonumber(text) end
local out = {}
for i = 2, #KEYS do
  local row = redis.pcall('HMGET', KEYS[i], 'calls', 'expires')
  local left, expires = whole(row[1]), whole(row[2])
  if not left or not expires then left, expires = 0, 0 end
  local taken = 0
  if expires > now then taken = math.min(left, tonumber(ARGV[i])) end
  out[#out + 1] = taken
  out[#out + 1] = left - taken
  out[#out + 1] = expires
  out[#out + 1] = expires > now and 0 or 1
end
for i = 2, #KEYS do
  if out[4 * i - 7] > 0 then redis.call('HSET', KEYS[i], 'calls', out[4 * i - 6]) end
end
redis.call('SET', KEYS[1], cjson.encode(out), 'PX', ARGV[1])
return out
