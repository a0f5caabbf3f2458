-- Returns the store's time.
-- KEYS  1 any of the shard
-- Gives {'told', now}
return { 'told', readNow() }
