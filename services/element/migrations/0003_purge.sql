-- When the last row of a deleted world was removed. The head row stays for ever, closed: a late errand cannot open
-- the world again.
alter table element.world_heads add column purged_at timestamptz;

-- Worlds that wait for their removal. No commit changes a column that is named here: updates of heads stay HOT.
create index world_heads_to_purge on element.world_heads (world_id) where closed and purged_at is null;
