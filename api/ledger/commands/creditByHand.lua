--[[ Grants credit by hand for money that arrived and that no path delivers. In one step: the lot, the registry row of the money, so
     that it buys nothing else, and the journal's entry. One operation grants once, and one payment is credited once.
     KEYS[1] lot   KEYS[2] registry row of the money   KEYS[3] what was granted by hand (hash by operation)   KEYS[4] sales journal (stream)
     ARGV[1] micro-USDC   ARGV[2] operation   ARGV[3] what the row will hold   ARGV[4] what was granted, JSON   ARGV[5] entry for the journal, JSON
     ARGV[6] a row that holds this has paid for nothing and is overwritten, '' none
     Output  'granted' | 'again' this operation granted exactly that | 'other' it granted something else
             | 'taken' the money has already paid for something ]]
local lot = redis.call('HMGET', KEYS[1], 'outcome', 'figure')
local row = redis.call('GET', KEYS[2])
if lot[1] then
  if lot[2] == ARGV[1] and row == ARGV[3] then return 'again' end
  return 'other'
end
if row and (ARGV[6] == '' or row ~= ARGV[6]) then return 'taken' end
redis.call('SET', KEYS[2], ARGV[3])
redis.call('HSET', KEYS[1], 'outcome', 'lot', 'figure', ARGV[1], 'state', 'open', 'at', now)
redis.call('HSET', KEYS[3], ARGV[2], ARGV[4])
redis.call('XADD', KEYS[4], '*', 'credit', ARGV[5])
return 'granted'
