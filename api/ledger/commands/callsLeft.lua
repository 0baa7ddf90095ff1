--[[ For the scripts that take calls of metered grants (hour passes, permits): what a row has left, by the ledger's clock. A broken
     row counts as none.
     @return calls left, expires (Unix ms; 0: no such row), whether it is still valid; its very last millisecond is over ]]
local function whole(text) return text and string.find(text, '^%d+$') and #text <= 15 and tonumber(text) end
local function calls_left(key)
  local row = redis.pcall('HMGET', key, 'calls', 'expires')
  local left, expires = whole(row[1]), whole(row[2])
  if not left or not expires then return 0, 0, false end
  return left, expires, expires > now
end
