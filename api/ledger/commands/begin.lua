--[[ Begins every script of the ledger, after `local kinds, rest`: what each of KEYS has to hold, and those that follow: the Redis
     type, then the fields that the script calculates with. Redis keeps what a script wrote before it failed, so everything in a
     row that could make the script fail is checked before anything is written (DATA-08).
     now: the time of the step by the store's clock, Unix ms
     put(row, fields): writes the fields of a row, a JSON object of strings ]]
for at, key in ipairs(KEYS) do
  local kind = kinds[at] or rest
  local held = key ~= '' and kind and redis.call('TYPE', key).ok or 'none'
  if held ~= 'none' and held ~= kind[1] then
    return redis.error_reply('BROKENROW KEYS[' .. at .. '] is a ' .. held .. ' in place of a ' .. kind[1])
  end
  if held == 'hash' and kind[2] then
    for field, figure in ipairs(redis.call('HMGET', key, unpack(kind, 2))) do
      if figure and (#figure > 17 or not string.find(figure, '^%-?%d+$')) then
        return redis.error_reply('BROKENROW KEYS[' .. at .. '] has a ' .. kind[field + 1] .. ' that is no whole number')
      end
    end
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function put(row, fields)
  for field, value in pairs(cjson.decode(fields)) do redis.call('HSET', row, field, value) end
end
