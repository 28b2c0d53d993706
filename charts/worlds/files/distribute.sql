-- Spreads the tables of worlds over the workers of a Citus cluster (PostgreSQL 16 to 18, Citus 14), once, after
-- `ops migrate`. Everything of one world is on one worker: each table by its world, all in one group. Ids that must be
-- unique across worlds are spread by themselves. What belongs to accounts stays on the coordinator.

select create_distributed_table('element.world_heads', 'world_id');
select create_distributed_table('element.worlds', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.members', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.elements', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.names', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.words', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.unworded', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.links', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.appearances', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.marks', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.tombstones', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.departures', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.receipts', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.seat_makers', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('element.outbox', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('file.worlds', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('file.files', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('file.images', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('file.burials', 'world_id', colocate_with => 'element.world_heads');
select create_distributed_table('file.doomed', 'world_id', colocate_with => 'element.world_heads');

select create_distributed_table('element.element_ids', 'id', colocate_with => 'none');
select create_distributed_table('file.accounts', 'account_id', colocate_with => 'none');
