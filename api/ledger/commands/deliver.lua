--[[ Stores the answer of a settled claim; the first one stored is the answer for ever.
     KEYS[1] claim  KEYS[2] settled without an answer  KEYS[3] sales journal (stream)  KEYS[4] attestation
     KEYS[5] row of what is issued with the answer, '' for none
     ARGV[1] member  ARGV[2] body  ARGV[3] payment response header  ARGV[4] attestation JSON  ARGV[5] sale JSON
     ARGV[6] keep the answer for, ms  ARGV[7] keep the attestation for, ms
     ARGV[8] fields of that row as JSON object of strings  ARGV[9] keep it until, Unix ms
     Output  {'stored', body, payment response} | {'not_settled'} ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'body', 'pr', 'validBefore')
if held[1] ~= 'settled' then return { 'not_settled' } end
if held[2] then return { 'stored', held[2], held[3] } end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local keep = now + tonumber(ARGV[6])
if held[4] then keep = math.max(keep, tonumber(held[4]) * 1000 + tonumber(ARGV[6])) end
redis.call('HSET', KEYS[1], 'body', ARGV[2], 'pr', ARGV[3], 'deliveredAt', now)
redis.call('HDEL', KEYS[1], 'payment', 'draft')
redis.call('PEXPIREAT', KEYS[1], keep)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('SET', KEYS[4], ARGV[4], 'PX', ARGV[7])
if KEYS[5] ~= '' then
  for field, value in pairs(cjson.decode(ARGV[8])) do redis.call('HSET', KEYS[5], field, value) end
  redis.call('PEXPIREAT', KEYS[5], ARGV[9])
end
redis.call('XADD', KEYS[3], '*', 'sale', ARGV[5])
return { 'stored', ARGV[2], ARGV[3] }
