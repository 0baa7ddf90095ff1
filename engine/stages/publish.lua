--[[ Publishes one snapshot: value and stream entry in one step, by the engine that holds the newest fence only.
     Input   KEYS[1] newest fence   KEYS[2] version counter of the board   KEYS[3] value   KEYS[4] snapshot stream
             ARGV[1] our fence   ARGV[2] JSON before the version number   ARGV[3] JSON behind it
             ARGV[4] entries the stream keeps   ARGV[5] name of the board
     Output  >= 1 the version published | -1 stale: another engine has led since ]]
local newest = redis.call('GET', KEYS[1])
if not newest or tonumber(newest) ~= tonumber(ARGV[1]) then return -1 end
local version = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[3], ARGV[2] .. version .. ARGV[3])
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[4], '*', 'name', ARGV[5], 'version', version)
return version
