--[[ Stores a card checkout and lists it for the worker. It is kept until a look has unlisted it: however long nobody could
     look, its money may have come.
     KEYS[1] checkout   KEYS[2] checkouts that the worker follows (sorted set, score = ms of the next look)
     ARGV[1] member  ARGV[2] fields as JSON object of strings  ARGV[3] first look, Unix ms
     Output  1 ]]
put(KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
