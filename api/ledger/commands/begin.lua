--[[ Begins every script of the ledger, after `local kinds, rest`: what each of KEYS has to hold, and those that follow: the Redis
     type, then the fields that the script calculates with. Redis keeps what a script wrote before it failed, so everything in a
     row that could make the script fail is checked before anything is written (DATA-08). ]]
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
