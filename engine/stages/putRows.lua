--[[ Applies lines `<field> <text>` to a hash; a field with nothing after the blank is deleted. ]]
local function put_rows(key, lines)
  local from = 1
  while from <= #lines do
    local blank = string.find(lines, ' ', from, true)
    local stop = string.find(lines, '\n', blank, true)
    local field = string.sub(lines, from, blank - 1)
    if stop == blank + 1 then
      redis.call('HDEL', key, field)
    else
      redis.call('HSET', key, field, string.sub(lines, blank + 1, stop - 1))
    end
    from = stop + 1
  end
end

