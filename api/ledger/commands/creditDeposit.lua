--[[ Books credit for money that bought nothing, once per lot; or reports where the credit would go. After creditPlace.lua.
     KEYS[1] lot   KEYS[2] account
     ARGV[1] micro-USDC   ARGV[2] digest of the secret, '' for none   ARGV[3] way, see place   ARGV[4] 'book' | 'look'
     Output  {'deposited', what can be spent after it} | {'lot', micro-USDC of the lot}; the same result again for the same lot ]]
local outcome, figure, done = place(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3])
if not done and ARGV[4] == 'book' then book(KEYS[1], KEYS[2], ARGV[1], ARGV[2], outcome, figure) end
return { outcome, figure }
