/**
 * Counts attempts at the PIN of one holder and decides the one at hand. The clock is Redis's.
 *
 * KEYS: 1 time of the last attempt; 2 list of the times of the latest wrong PINs over all addresses; 3 sorted set of the
 * addresses that presented the right PIN, by time; 4 set while a notice of guessing is fresh; 5 hash of this address:
 * `fails`, `tier` of its next lockout, `until` its lockout ends. All share the holder's hash tag and expire by
 * themselves. Their number is bounded: an address gets a hash by a wrong PIN alone, of which unknown addresses have
 * at most one window's count.
 *
 * ARGV: 1 address, 2 outcome, 3 window, 4 wrong PINs per window, 5 known addresses kept, 6 wrong PINs per address before
 * its first lockout, 7… lockouts. Times are in milliseconds.
 *
 * Returns the milliseconds for which this address is refused, and 1 when the holder's account is to be notified.
 */
export const pinScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local address, outcome, window, limit = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local noticeMs = 60000

-- The first command writes, and takes memory: a Redis that refuses writes (out of memory, read-only, too few replicas,
-- a failed save) ends every attempt here, so that no right PIN passes while wrong ones go uncounted.
redis.call('SET', KEYS[1], now, 'PX', window)

-- Milliseconds until the oldest of the wrong PINs that one window allows stops counting; 0 while more are allowed.
local function exhaustedMs()
  local oldest = tonumber(redis.call('LINDEX', KEYS[2], limit - 1) or 0)
  return math.max(0, oldest + window - now)
end

-- Asked for again every minute while guessing goes on, since the notice may fail to arrive.
local function notify()
  return redis.call('SET', KEYS[4], 1, 'NX', 'PX', math.min(noticeMs, window)) and 1 or 0
end

local state = redis.call('HMGET', KEYS[5], 'fails', 'tier', 'until')
local fails, tier, untilMs = tonumber(state[1]) or 0, tonumber(state[2]) or 0, tonumber(state[3]) or 0
local lockedMs = math.max(0, untilMs - now)

local closedMs = exhaustedMs()
if closedMs > 0 then
  local knownAt = tonumber(redis.call('ZSCORE', KEYS[3], address) or 0)
  if knownAt + window <= now then return { math.max(lockedMs, closedMs), notify() } end
end
if lockedMs > 0 then return { lockedMs, 0 } end
if outcome == 'missing' then return { 0, 0 } end

if outcome == 'right' then
  if state[1] or state[2] then redis.call('DEL', KEYS[5]) end
  if redis.call('ZADD', KEYS[3], now, address) == 1 then
    redis.call('ZREMRANGEBYRANK', KEYS[3], 0, -tonumber(ARGV[5]) - 1)
  end
  redis.call('PEXPIRE', KEYS[3], window)
  return { 0, 0 }
end

fails = fails + 1
if tier > 0 or fails >= tonumber(ARGV[6]) then
  tier = math.min(tier + 1, #ARGV - 6)
  untilMs = now + tonumber(ARGV[6 + tier])
  fails = 0
end
redis.call('HSET', KEYS[5], 'fails', fails, 'tier', tier, 'until', untilMs)
redis.call('PEXPIRE', KEYS[5], math.max(untilMs - now, 0) + window)
redis.call('LPUSH', KEYS[2], now)
redis.call('LTRIM', KEYS[2], 0, limit - 1)
redis.call('PEXPIRE', KEYS[2], window)
if exhaustedMs() > 0 then return { 0, notify() } end
return { 0, 0 }
`
