--[[ The answer of a spend is on its way to its caller: from now on the same question is another purchase.
     KEYS[1] unanswered spend   ARGV[1] member
     Output  1 | 0 another spend is recorded there, or none ]]
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
