--[[ Prepended to the scripts that book credit: decides where it goes, and books it. One lot is booked once.
     place(lot, account, micro, auth, way) -> outcome, figure, whether it is booked already; changes nothing
       'deposited', balance after, less what is held, 0 if frozen: onto the account, if the secret that was sent matches the
                    account's or becomes its first
       'lot', micro-USDC: otherwise, for anybody who has the claim code
     way 'bought', 'note': a frozen account accepts nothing: what was paid remains spendable under its code
         'back':   onto the account it was spent from, whatever its secret, frozen or not ]]
local function place(lot, account, micro, auth, way)
  local booked = redis.call('HMGET', lot, 'outcome', 'figure')
  if booked[1] then return booked[1], booked[2], true end
  local known = redis.call('HMGET', account, 'auth', 'balance', 'held', 'frozen')
  local fits = auth ~= '' and (not known[1] or known[1] == auth)
  if way == 'back' then fits = known[1] end
  if way ~= 'back' and known[4] then fits = false end
  if not fits then return 'lot', micro, false end
  local free = math.max(0, tonumber(known[2] or '0') + tonumber(micro) - tonumber(known[3] or '0'))
  if known[4] then free = 0 end
  return 'deposited', string.format('%.0f', free), false
end
local function book(lot, account, micro, auth, outcome, figure)
  if outcome == 'deposited' then
    redis.call('HINCRBY', account, 'balance', micro)
    if auth ~= '' then redis.call('HSETNX', account, 'auth', auth) end
  end
  redis.call('HSET', lot, 'outcome', outcome, 'figure', figure, 'state', outcome == 'lot' and 'open' or 'claimed', 'at', now)
end
