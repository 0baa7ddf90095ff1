--[[ Binds a buyer's payment id to one claim, or says what it is bound to. Until that claim is written, its binding is only a
     lease; from then on its row is kept as long as the claim. If the claim's money did not move, the id is free again.
     KEYS[1] row of (payer, id)
     ARGV[1] claim  ARGV[2] request fingerprint  ARGV[3] 'bind' | 'bindPaid' its money has moved already | 'look': change nothing
     ARGV[4] lease, ms  ARGV[5] keep an unclaimed row for, ms  ARGV[6] key prefix of claims  ARGV[7] what is asked for, as a hash
     The same question at another price, or to another receiver, is the same request. Rows from before 2026-11-30 have only fp.
     Output  {'free'} ours now (after 'bind') | {'paid', claim} same request | {'other', claim} another request
             | error NOROOM, for a new row when there is no room for its claim either. After room.lua. ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local row = redis.call('HMGET', KEYS[1], 'claim', 'fp', 'at', 'asks')
if row[1] and row[1] ~= ARGV[1] then
  local state = redis.call('HGET', ARGV[6] .. row[1], 'state')
  local holds = state == 'settling' or state == 'settled'
  if not state then holds = tonumber(row[3]) + tonumber(ARGV[4]) > now end
  local is_same = row[2] == ARGV[2] or row[4] == ARGV[7]
  if holds then return { is_same and 'paid' or 'other', row[1] } end
end
if ARGV[3] == 'bind' and not row[1] and is_full() then return no_room() end
if ARGV[3] ~= 'look' then
  local is_kept = row[1] == ARGV[1] and redis.call('HGET', ARGV[6] .. ARGV[1], 'named') == KEYS[1]
  redis.call('HSET', KEYS[1], 'claim', ARGV[1], 'fp', ARGV[2], 'at', now, 'asks', ARGV[7])
  if not is_kept then redis.call('PEXPIRE', KEYS[1], ARGV[5]) end
end
return { 'free' }
