--[[ Reverses a sale whose money has left the chain after its watch had ended: a person has looked at it. What it gave its buyer
     is left alone. A watched one is left to the watch, which also gives back; nobody would undo this beside it.
     KEYS[1] claims not yet final  KEYS[2] classic purchases not yet final  KEYS[3] sales journal (stream)
     KEYS[4] mark that its receipt is revoked, kept for ever
     ARGV[1] claim that took the transfer, '' if none is known  ARGV[2] its classic purchase, '' for none  ARGV[3] reversal JSON
     Output  'reversed' | 'already' its receipt is revoked | 'watched' ]]
if redis.call('EXISTS', KEYS[4]) == 1 then return 'already' end
if redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('ZSCORE', KEYS[2], ARGV[2]) then return 'watched' end
redis.call('SET', KEYS[4], now)
redis.call('XADD', KEYS[3], '*', 'reversal', ARGV[3])
return 'reversed'
