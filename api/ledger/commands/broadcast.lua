--[[ Notes the transaction that is about to carry these claims, before it is sent.
     KEYS[1] settler's fence  KEYS[2..] claims
     ARGV[1] fence the caller holds  ARGV[2] transaction hash  ARGV[3] 'first' | 'again' with a higher fee: it was sent already
     Output  claims noted | -1 a newer settler is at work | -2 one was refused meanwhile and its buyer was told so: send nothing ]]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
for i = 2, ARGV[3] == 'first' and #KEYS or 1 do
  if redis.call('HGET', KEYS[i], 'state') == 'refused' then return -2 end
end
for i = 2, #KEYS do
  local txs = redis.call('HGET', KEYS[i], 'txs')
  if txs == false or txs == '' then
    redis.call('HSET', KEYS[i], 'txs', ARGV[2])
  elseif not string.find(txs, ARGV[2], 1, true) then
    redis.call('HSET', KEYS[i], 'txs', txs .. ',' .. ARGV[2])
  end
end
return #KEYS - 1
