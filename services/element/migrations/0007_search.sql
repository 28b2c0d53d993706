-- What full-text search finds an element by. Apart from its element, as names are: every write moves that row.
create table element.words (
  world_id uuid not null,
  id uuid not null,
  words tsvector not null,
  constraint words_pkey primary key (world_id, id)
);

create index words_by_word on element.words using gin (world_id, words);

-- Elements whose words are still to be found out: those of before, and those that a version before this one writes.
create table element.unworded (
  world_id uuid not null,
  id uuid not null,
  constraint unworded_pkey primary key (world_id, id)
);

insert into element.unworded (world_id, id) select e.world_id, e.id from element.elements e;

alter table element.words alter column world_id set (n_distinct = 1);
alter table element.unworded alter column world_id set (n_distinct = 1);

-- A sigma is the same at the end of a word.
update element.names set folded_name = replace(folded_name, 'ς', 'σ') where folded_name like '%ς%';
update element.elements set folded_name = replace(folded_name, 'ς', 'σ') where folded_name like '%ς%';

-- Names in the order of a search's pages, which no database locale decides; also found by their beginnings.
create index names_in_order on element.names (world_id, folded_name collate "C", id);

-- As commit_writes before; what it writes is found by its words.
create function element.commit_changes(
  p_world uuid,
  p_batch uuid,
  p_now timestamptz,
  -- What the decisions saw: head, view_version, auth_version, timeline.
  p_seen bigint[],
  p_head bigint,
  p_view_version bigint,
  p_largest int,
  -- Elements made.
  n_id uuid[], n_type text[], n_seq bigint[], n_name text[], n_folded text[], n_supertype text[],
  n_subtype text[], n_image text[], n_by uuid[], n_size int[], n_body text[], n_tail text[],
  -- Elements changed.
  u_id uuid[], u_seq bigint[], u_name text[], u_folded text[], u_supertype text[], u_subtype text[],
  u_image text[], u_by uuid[], u_size int[], u_body text[], u_tail text[],
  -- Elements deleted.
  d_id uuid[],
  -- Links that went, links that came.
  lx_target uuid[], lx_field text[], lx_source uuid[],
  ln_target uuid[], ln_field text[], ln_source uuid[],
  -- Tombstones; characters as a comma-separated list.
  t_seq bigint[], t_id uuid[], t_type text[], t_by uuid[], t_created_by uuid[], t_characters text[],
  t_on_roster int[], t_hidden int[],
  -- Marks that went, marks that came.
  mx_id uuid[],
  mn_id uuid[], mn_type text[], mn_place bigint[], mn_by uuid[],
  -- The world's record, or null when it stays as it is.
  p_record jsonb,
  -- Members that joined or changed.
  m_id uuid[], m_kind text[], m_role text[], m_status text[], m_name text[], m_character uuid[], m_place bigint[],
  -- Members whose views moved, and why: role or view.
  e_member uuid[], e_reason text[],
  -- Characters that the elements made and changed name.
  a_character uuid[], a_id uuid[], a_type text[], a_seq bigint[],
  -- Receipts, and since when one still stands.
  r_scope text[], r_key text[], r_hash text[], r_status int[], r_reply text[], r_expired timestamptz,
  -- Elements whose words are others now, and those; null from a version that knows no words.
  w_id uuid[], w_words text[]
) returns boolean language plpgsql as $$
declare
  taken int;
begin
  update element.world_heads h
  set head = p_head,
      view_version = p_view_version,
      last_write_at = p_now,
      largest = greatest(h.largest, p_largest),
      commits = h.commits + 1,
      recent_batches = (array[p_batch] || h.recent_batches)[1:16]
  where h.world_id = p_world and not h.closed
    and h.head = p_seen[1] and h.view_version = p_seen[2]
    and h.auth_version = p_seen[3] and h.timeline = p_seen[4];
  if not found then
    return false;
  end if;

  if cardinality(n_id) > 0 then
    insert into element.element_ids (id, world_id, type)
    select n.id, p_world, n.type from unnest(n_id, n_type) as n (id, type) order by n.id
    on conflict do nothing;
    get diagnostics taken = row_count;
    if taken < cardinality(n_id) then
      raise exception 'an id is held by another world' using errcode = 'WD001';
    end if;
    insert into element.elements (
      world_id, id, type, change_seq, birth, name, folded_name, supertype, subtype, image_url, created_by, created_at,
      updated_at, size, body, tail)
    select p_world, n.id, n.type, n.seq, n.seq, n.name, n.folded, n.supertype, n.subtype, n.image, n.by, p_now,
      p_now, n.size, n.body, n.tail
    from unnest(
        n_id, n_type, n_seq, n_name, n_folded, n_supertype, n_subtype, n_image, n_by, n_size, n_body, n_tail)
      as n (id, type, seq, name, folded, supertype, subtype, image, by, size, body, tail);
    insert into element.names (world_id, id, folded_name)
    select p_world, n.id, n.folded from unnest(n_id, n_folded) as n (id, folded);
  end if;

  if cardinality(u_id) > 0 then
    update element.elements e
    set change_seq = u.seq, name = u.name, folded_name = u.folded, supertype = u.supertype, subtype = u.subtype,
        image_url = u.image, created_by = u.by, updated_at = p_now, size = u.size, body = u.body,
        tail = u.tail
    from unnest(u_id, u_seq, u_name, u_folded, u_supertype, u_subtype, u_image, u_by, u_size, u_body, u_tail)
      as u (id, seq, name, folded, supertype, subtype, image, by, size, body, tail)
    where e.world_id = p_world and e.id = u.id;
    update element.names n set folded_name = u.folded
    from unnest(u_id, u_folded) as u (id, folded)
    where n.world_id = p_world and n.id = u.id and n.folded_name <> u.folded;
  end if;

  if cardinality(lx_target) > 0 then
    delete from element.links l
    using unnest(lx_target, lx_field, lx_source) as x (target, field, source)
    where l.world_id = p_world and l.target_id = x.target and l.field = x.field and l.source_id = x.source;
    delete from element.appearances a
    using unnest(lx_target, lx_field, lx_source) as x (target, field, source)
    where x.field = 'characters' and a.world_id = p_world and a.character_id = x.target and a.id = x.source;
  end if;

  if cardinality(d_id) > 0 then
    delete from element.elements e where e.world_id = p_world and e.id = any (d_id);
    delete from element.names n where n.world_id = p_world and n.id = any (d_id);
    delete from element.words o where o.world_id = p_world and o.id = any (d_id);
    delete from element.marks m where m.world_id = p_world and m.id = any (d_id);
    -- Last among the ids: released first, two worlds could deadlock over one.
    delete from element.element_ids i where i.id = any (d_id) and i.world_id = p_world;
  end if;

  if cardinality(ln_target) > 0 then
    insert into element.links (world_id, target_id, field, source_id)
    select p_world, n.target, n.field, n.source
    from unnest(ln_target, ln_field, ln_source) as n (target, field, source);
  end if;

  if cardinality(a_id) > 0 then
    insert into element.appearances (world_id, character_id, id, type, change_seq)
    select p_world, n.character, n.id, n.type, n.seq
    from unnest(a_character, a_id, a_type, a_seq) as n (character, id, type, seq)
    on conflict on constraint appearances_pkey do update set change_seq = excluded.change_seq;
  end if;

  if cardinality(t_seq) > 0 then
    insert into element.tombstones (
      world_id, change_seq, id, type, deleted_at, deleted_by, deleted_via, created_by, characters, roster_character,
      hidden)
    select p_world, t.seq, t.id, t.type, p_now, t.by, 'api', t.created_by,
      string_to_array(t.characters, ',')::uuid[], t.on_roster <> 0, t.hidden <> 0
    from unnest(t_seq, t_id, t_type, t_by, t_created_by, t_characters, t_on_roster, t_hidden)
      as t (seq, id, type, by, created_by, characters, on_roster, hidden);
    insert into element.outbox (world_id, kind, payload)
    select p_world, 'elements', jsonb_agg(jsonb_build_object('id', t.id, 'place', t.seq) order by t.seq)
    from unnest(t_seq, t_id) as t (seq, id);
  end if;

  if cardinality(mx_id) > 0 then
    delete from element.marks m where m.world_id = p_world and m.id = any (mx_id);
  end if;

  if cardinality(mn_id) > 0 then
    insert into element.marks (world_id, id, type, place, set_at, set_by)
    select p_world, n.id, n.type, n.place, p_now, n.by
    from unnest(mn_id, mn_type, mn_place, mn_by) as n (id, type, place, by);
    update element.world_heads h set marked = true where h.world_id = p_world and not h.marked;
  end if;

  if cardinality(mx_id) > 0 or cardinality(d_id) > 0 then
    update element.world_heads h set marked = false
    where h.world_id = p_world and h.marked
      and (select m.id from element.marks m where m.world_id = h.world_id order by m.id limit 1) is null;
  end if;

  if p_record is not null then
    update element.worlds w
    set name = r.name, description = r.description, image_url = r.image_url, time_format_names = r.time_format_names,
        time_format_equivalents = r.time_format_equivalents, time_basic_unit = r.time_basic_unit,
        time_range_min = r.time_range_min, time_range_max = r.time_range_max,
        time_range_current = r.time_range_current, owner_character = r.owner_character, updated_at = p_now
    from jsonb_to_record(p_record) as r (
      name text, description text, image_url text, time_format_names text[], time_format_equivalents text[],
      time_basic_unit text, time_range_min int, time_range_max int, time_range_current int, owner_character uuid)
    where w.world_id = p_world;
  end if;

  if cardinality(m_id) > 0 then
    insert into element.members as m (
      world_id, member_id, kind, role, status, name, character, place, epoch_start, joined_at)
    select p_world, n.id, n.kind, n.role, n.status, nullif(n.name, ''), n.character, n.place, p_head, p_now
    from unnest(m_id, m_kind, m_role, m_status, m_name, m_character, m_place)
      as n (id, kind, role, status, name, character, place)
    on conflict on constraint members_pkey do update
    set role = excluded.role, status = excluded.status, character = excluded.character;
  end if;

  if cardinality(e_member) > 0 then
    update element.members m
    set epoch = m.epoch + 1, epoch_reason = x.reason, epoch_start = p_head,
        last_role_epoch = case x.reason when 'role' then m.epoch + 1 else m.last_role_epoch end
    from unnest(e_member, e_reason) as x (member, reason)
    where m.world_id = p_world and m.member_id = x.member;
  end if;

  if w_id is null then
    insert into element.unworded (world_id, id)
    select p_world, x.id from unnest(n_id || u_id) as x (id)
    on conflict do nothing;
  elsif cardinality(w_id) > 0 then
    delete from element.words o
    using unnest(w_id, w_words) as w (id, words)
    where o.world_id = p_world and o.id = w.id and w.words = '';
    insert into element.words (world_id, id, words)
    select p_world, w.id, array_to_tsvector(string_to_array(w.words, ' '))
    from unnest(w_id, w_words) as w (id, words)
    where w.words <> ''
    on conflict on constraint words_pkey do update set words = excluded.words;
  end if;

  if cardinality(r_key) > 0 then
    insert into element.receipts as r (world_id, scope, key, request_hash, status, reply, created_at)
    select p_world, n.scope, n.key, n.hash, n.status, n.reply, p_now
    from unnest(r_scope, r_key, r_hash, r_status, r_reply) as n (scope, key, hash, status, reply)
    on conflict on constraint receipts_pkey do update
    set request_hash = excluded.request_hash, status = excluded.status, reply = excluded.reply,
        created_at = excluded.created_at
    where r.created_at < r_expired;
    get diagnostics taken = row_count;
    if taken < cardinality(r_key) then
      raise exception 'a receipt stands already' using errcode = 'WD002';
    end if;
  end if;
  return true;
end
$$;

-- For the version before this one.
create or replace function element.commit_writes(
  p_world uuid,
  p_batch uuid,
  p_now timestamptz,
  -- What the decisions saw: head, view_version, auth_version, timeline.
  p_seen bigint[],
  p_head bigint,
  p_view_version bigint,
  p_largest int,
  -- Elements made.
  n_id uuid[], n_type text[], n_seq bigint[], n_name text[], n_folded text[], n_supertype text[],
  n_subtype text[], n_image text[], n_by uuid[], n_size int[], n_body text[], n_tail text[],
  -- Elements changed.
  u_id uuid[], u_seq bigint[], u_name text[], u_folded text[], u_supertype text[], u_subtype text[],
  u_image text[], u_by uuid[], u_size int[], u_body text[], u_tail text[],
  -- Elements deleted.
  d_id uuid[],
  -- Links that went, links that came.
  lx_target uuid[], lx_field text[], lx_source uuid[],
  ln_target uuid[], ln_field text[], ln_source uuid[],
  -- Tombstones; characters as a comma-separated list.
  t_seq bigint[], t_id uuid[], t_type text[], t_by uuid[], t_created_by uuid[], t_characters text[],
  t_on_roster int[], t_hidden int[],
  -- Marks that went, marks that came.
  mx_id uuid[],
  mn_id uuid[], mn_type text[], mn_place bigint[], mn_by uuid[],
  -- The world's record, or null when it stays as it is.
  p_record jsonb,
  -- Members that joined or changed.
  m_id uuid[], m_kind text[], m_role text[], m_status text[], m_name text[], m_character uuid[], m_place bigint[],
  -- Members whose views moved, and why: role or view.
  e_member uuid[], e_reason text[],
  -- Characters that the elements made and changed name.
  a_character uuid[], a_id uuid[], a_type text[], a_seq bigint[],
  -- Receipts, and since when one still stands.
  r_scope text[], r_key text[], r_hash text[], r_status int[], r_reply text[], r_expired timestamptz
) returns boolean language sql as $$
  select element.commit_changes(
    p_world, p_batch, p_now, p_seen, p_head, p_view_version, p_largest, n_id, n_type, n_seq, n_name, n_folded,
    n_supertype, n_subtype, n_image, n_by, n_size, n_body, n_tail, u_id, u_seq, u_name, u_folded, u_supertype,
    u_subtype, u_image, u_by, u_size, u_body, u_tail, d_id, lx_target, lx_field, lx_source, ln_target, ln_field,
    ln_source, t_seq, t_id, t_type, t_by, t_created_by, t_characters, t_on_roster, t_hidden, mx_id, mn_id, mn_type,
    mn_place, mn_by, p_record, m_id, m_kind, m_role, m_status, m_name, m_character, m_place, e_member, e_reason,
    a_character, a_id, a_type, a_seq, r_scope, r_key, r_hash, r_status, r_reply, r_expired, null, null)
$$;
