--[[ Claims one mined transfer for one request (legacy path): registry row and claim in one step.
     KEYS[1] claim   KEYS[2] registry row of the transfer   KEYS[3] settled claims without an answer (sorted set)
     KEYS[4] not yet final (sorted set, score = block)   KEYS[5] the row under its former name, '' when that is not known
     KEYS[6] claimants of the transfer (sorted set of payment hashes, score = since when): two are kept, which is already
             one too many
     ARGV[1] member  ARGV[2] request fingerprint  ARGV[3] payment hash  ARGV[4] fields as JSON object of strings, '' to register
             the claimant only
     ARGV[5] ms for others to claim it too; 0: its sender has signed   ARGV[6] ms for which claimants are remembered: nobody
             gets an older transfer without a signature
     Output  'won' | 'settled' the same request claimed it before | 'bound' another request did | 'taken' it already paid for something
             'contended' others claim it too | a number: ms until a sole claimant gets it | 'open' it may be claimed ]]
local held = redis.call('HMGET', KEYS[1], 'state', 'fp', 'ph')
if held[1] then
  if held[2] ~= ARGV[2] or held[3] ~= ARGV[3] then return 'bound' end
  return 'settled'
end
if redis.call('EXISTS', KEYS[2]) == 1 then return 'taken' end
if KEYS[5] ~= '' and redis.call('EXISTS', KEYS[5]) == 1 then return 'taken' end
if redis.call('ZCARD', KEYS[6]) < 2 then redis.call('ZADD', KEYS[6], 'NX', now, ARGV[3]) end
redis.call('ZADD', KEYS[6], 'XX', 'LT', now, ARGV[3])
local is_contended = redis.call('ZCARD', KEYS[6]) > 1
redis.call('PEXPIRE', KEYS[6], ARGV[6])
if ARGV[5] ~= '0' then
  if is_contended then return 'contended' end
  local left = redis.call('ZSCORE', KEYS[6], ARGV[3]) + ARGV[5] - now
  if left > 0 then return left end
end
if ARGV[4] == '' then return 'open' end
redis.call('DEL', KEYS[6])
put(KEYS[1], ARGV[4])
redis.call('HSET', KEYS[1], 'state', 'settled', 'fp', ARGV[2], 'ph', ARGV[3], 'created', now, 'settledAt', now)
redis.call('SET', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[3], now, ARGV[1])
redis.call('ZADD', KEYS[4], redis.call('HGET', KEYS[1], 'block') or '0', ARGV[1])
return 'won'
