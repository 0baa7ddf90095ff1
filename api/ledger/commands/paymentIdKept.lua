--[[ Prepended to the scripts that change how long a claim is kept. The row that binds its buyer's payment id to it is kept exactly as
     long: however late the money moves, the id is not free before the answer is forgotten, or the same purchase would be paid twice.
     keep_id(claim, member): to be called after the claim's own expiry was set; a row that is bound to another claim by now stays ]]
local function keep_id(claim, member)
  local row = redis.call('HGET', claim, 'named')
  if not row or redis.pcall('HGET', row, 'claim') ~= member then return end
  local until_ms = redis.call('PEXPIRETIME', claim)
  if until_ms < 0 then redis.call('PERSIST', row) else redis.call('PEXPIREAT', row, until_ms) end
end
