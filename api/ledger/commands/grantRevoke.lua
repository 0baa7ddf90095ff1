--[[ Prepended to the scripts that take back what a sale has issued while its money is gone: its token reads as expired, and its own
     end is kept in `heldExpires` until the money is back.
     revoke_grant(row), restore_grant(row): '' for nothing issued; repeated, each changes nothing ]]
local function revoke_grant(row)
  local grant = row ~= '' and redis.call('HMGET', row, 'expires', 'heldExpires') or {}
  if not grant[1] or grant[2] then return end
  redis.call('HSET', row, 'revoked', now, 'heldExpires', grant[1], 'expires', math.min(now, tonumber(grant[1])))
end
local function restore_grant(row)
  local expires = row ~= '' and redis.call('HGET', row, 'heldExpires')
  if not expires then return end
  redis.call('HSET', row, 'expires', expires)
  redis.call('HDEL', row, 'revoked', 'heldExpires')
end
