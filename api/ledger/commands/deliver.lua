--[[ Stores the answer of a settled claim; the first answer stored is final. What is issued with it is issued in this step:
     nothing is given before, so a reorganisation has nothing to take back (I3). After creditPlace.lua and paymentIdKept.lua.
     KEYS[1] claim  KEYS[2] settled without an answer  KEYS[3] sales journal (stream)  KEYS[4] attestation
     KEYS[5] row of what is issued with the answer, '' for none
     KEYS[6] lot of the credit that comes with it, '' for none  KEYS[7] account
     ARGV[1] member  ARGV[2] body  ARGV[3] payment response header  ARGV[4] attestation JSON  ARGV[5] sale JSON
     ARGV[6] keep the answer for, ms  ARGV[7] keep the attestation for, ms
     ARGV[8] fields of that row as JSON object of strings  ARGV[9] keep it until, Unix ms
     ARGV[10] transaction that the body names, '' for none
     ARGV[11] micro-USDC of the credit  ARGV[12] digest of the secret, '' for none  ARGV[13] way, see place
     ARGV[14], ARGV[15] where the body says the credit went: outcome and figure
     Output  {'stored', body, payment response} | {'moved'} the account is not as the body says: compose the answer again
             | {'not_settled'} or settled by another transaction: a reorganisation has replaced it ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'body', 'pr', 'validBefore', 'tx')
if held[1] ~= 'settled' then return { 'not_settled' } end
if held[2] then return { 'stored', held[2], held[3] } end
if ARGV[10] ~= '' and held[5] ~= ARGV[10] then return { 'not_settled' } end
if KEYS[6] ~= '' then
  local outcome, figure, done = place(KEYS[6], KEYS[7], ARGV[11], ARGV[12], ARGV[13])
  if outcome ~= ARGV[14] or figure ~= ARGV[15] then return { 'moved' } end
  if not done then book(KEYS[6], KEYS[7], ARGV[11], ARGV[12], outcome, figure) end
end
local keep = now + tonumber(ARGV[6])
if held[4] then keep = math.max(keep, tonumber(held[4]) * 1000 + tonumber(ARGV[6])) end
redis.call('HSET', KEYS[1], 'body', ARGV[2], 'pr', ARGV[3], 'deliveredAt', now)
redis.call('HDEL', KEYS[1], 'payment', 'draft')
redis.call('PEXPIREAT', KEYS[1], keep)
keep_id(KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SET', KEYS[4], ARGV[4], 'PX', ARGV[7])
if KEYS[5] ~= '' then
  put(KEYS[5], ARGV[8])
  redis.call('PEXPIREAT', KEYS[5], ARGV[9])
end
redis.call('XADD', KEYS[3], '*', 'sale', ARGV[5])
return { 'stored', ARGV[2], ARGV[3] }
