--[[ Takes calls from metered grants (hour passes, permits): many rows in one step, from each as many as it has. The outcome
     is kept under the operation's id, so that repeating the operation (a lost reply) takes nothing again. If nothing was taken,
     nothing is kept: a grant whose money has left its chain works again with its money, for the same operation too. All rows
     are read before the first is written; a broken row counts as none.
     KEYS[1] outcome of this operation   KEYS[2..] rows, each once
     ARGV[1] keep the outcome for, ms    ARGV[2..] calls wanted of each row
     Output  four numbers per row: calls taken, calls left, expires (Unix ms; 0: no such row), 1 when it has expired ]]
local kept = redis.call('GET', KEYS[1])
if kept then return cjson.decode(kept) end
local out, any = {}, false
for i = 2, #KEYS do
  local left, expires, lasts = calls_left(KEYS[i])
  local taken = 0
  if lasts then taken = math.min(left, tonumber(ARGV[i])) end
  any = any or taken > 0
  out[#out + 1] = taken
  out[#out + 1] = left - taken
  out[#out + 1] = expires
  out[#out + 1] = lasts and 0 or 1
end
for i = 2, #KEYS do
  if out[4 * i - 7] > 0 then redis.call('HSET', KEYS[i], 'calls', out[4 * i - 6]) end
end
if any then redis.call('SET', KEYS[1], cjson.encode(out), 'PX', ARGV[1]) end
return out
