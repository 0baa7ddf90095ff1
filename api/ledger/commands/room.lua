--[[ For the scripts that open something new: whether there is room for it. The last tenth of a store with a limit is reserved for
     what is paid or open: every script of the ledger writes however full the store is (`allow-oom`), so what was let in is completed. ]]
local function is_full()
  local info = redis.call('INFO', 'memory')
  local function figure(name) return tonumber(string.match(info, '\n' .. name .. ':(%d+)') or '0') end
  local most = figure('maxmemory')
  return most > 0 and figure('used_memory') - figure('mem_not_counted_for_evict') >= 0.9 * most
end
local function no_room() return redis.error_reply('NOROOM the store has its last tenth for what is paid or open') end
