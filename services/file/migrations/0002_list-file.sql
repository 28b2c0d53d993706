-- Brings a file whose bytes are stored to its end, in one call: what the report of every upload runs.
--
-- Under the world's lock each statement here sees what the one before it left. Answers what became of the file:
-- `listed`, `settled` when that was decided before, `unknown`, or why it was given up: its bytes are then doomed.
create function file.list_file(
  p_world uuid,
  p_id uuid,
  p_bytes bigint,
  -- Where they are, and whose room they are in.
  p_key text,
  p_room text,
  -- What the files of a world may take.
  p_cap bigint,
  -- Somebody has kept a place for the bytes.
  p_has_room boolean,
  p_due_ms integer
) returns text language plpgsql as $$
declare
  world file.worlds;
  found_file file.files;
  reason text;
begin
  -- The row is there since the ticket was issued.
  select * into world from file.worlds w where w.world_id = p_world for update;
  select * into found_file from file.files f where f.world_id = p_world and f.id = p_id;
  if not found then
    return 'unknown';
  end if;
  if found_file.state in ('listed', 'removed') then
    return 'settled';
  end if;
  reason := case
    when found_file.state = 'void' then 'late'
    when world.closed or exists (
      select from file.burials b -- burials_pkey
      where b.world_id = p_world and b.element_id = found_file.element_id and b.place > found_file.birth
    ) then 'orphan'
    when not p_has_room then 'no room'
    when world.used_bytes + p_bytes > p_cap then 'over the cap'
  end;
  if reason is null then
    update file.files f set state = 'listed', size = p_bytes, added_at = clock_timestamp()
    where f.world_id = p_world and f.id = p_id;
    update file.worlds w set used_bytes = w.used_bytes + p_bytes where w.world_id = p_world;
    return 'listed';
  end if;
  update file.files f set state = 'void' where f.world_id = p_world and f.id = p_id;
  insert into file.doomed as d (world_id, id, keys, room, due_at)
  values (p_world, p_id, array[p_key], p_room, now() + p_due_ms * interval '1 millisecond')
  on conflict on constraint doomed_pkey do update set keys = d.keys || excluded.keys;
  return reason;
end
$$;
