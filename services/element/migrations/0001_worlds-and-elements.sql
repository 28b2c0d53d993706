-- The world's record, as GET /api/v2/world shows it.
create table element.worlds (
  world_id uuid not null constraint worlds_pkey primary key,
  name text not null,
  description text not null default '',
  image_url text not null default '',
  time_format_names text[] not null default '{}',
  time_format_equivalents text[] not null default '{}',
  time_basic_unit text not null default '',
  time_range_min integer,
  time_range_max integer,
  time_range_current integer,
  owner_character uuid,
  public_read boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- One narrow row a world. Every commit locks it, and checks under the lock that nothing moved
-- which the commit's decisions rest on.
create table element.world_heads (
  world_id uuid not null constraint world_heads_pkey primary key,
  head bigint not null default 0,
  view_version bigint not null default 0,
  auth_version bigint not null default 0,
  timeline bigint not null default 1,
  closed boolean not null default false,
  -- Bytes of the largest element there ever was: while a page of such would fit, none needs to be summed up.
  largest integer not null default 0,
  last_write_at timestamptz not null,
  -- The latest commits' ids, newest first, so that a commit without an answer can be found.
  recent_batches uuid[] not null default '{}',
  commits bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- Who reads and writes a world. The owner's row carries the world's own id.
create table element.members (
  world_id uuid not null,
  member_id uuid not null,
  kind text not null constraint members_kind check (kind in ('owner', 'person', 'agent')),
  role text not null constraint members_role check (role in ('owner', 'co_builder', 'contributor', 'guest')),
  status text not null default 'active' constraint members_status check (status in ('active', 'removed')),
  name text,
  character uuid,
  place bigint not null default 0,
  sponsor uuid,
  epoch bigint not null default 1,
  epoch_reason text,
  last_role_epoch bigint not null default 0,
  epoch_start bigint not null default 0,
  joined_at timestamptz not null,
  constraint members_pkey primary key (world_id, member_id)
);

-- Keeps ids unique across all worlds. Released on delete.
create table element.element_ids (
  id uuid not null constraint element_ids_pkey primary key,
  world_id uuid not null,
  type text not null
);

-- `body` is the JSON text an element is read as, up to the server's fields; `tail` is the rest.
create table element.elements (
  world_id uuid not null,
  id uuid not null,
  type text not null,
  change_seq bigint not null,
  name text not null,
  folded_name text not null,
  supertype text not null,
  subtype text not null,
  image_url text not null,
  created_by uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Bytes of body and tail.
  size integer not null,
  body text not null,
  -- The server's fields as they follow the body, from the columns above.
  tail text not null,
  constraint elements_pkey primary key (world_id, id)
);

create unique index elements_by_place on element.elements (world_id, change_seq);
create index elements_by_type_and_place on element.elements (world_id, type, change_seq);

-- Names apart, so that only a new name touches their trigrams: every write moves its element's row.
create table element.names (
  world_id uuid not null,
  id uuid not null,
  folded_name text not null,
  constraint names_pkey primary key (world_id, id)
);

create index names_by_trigram on element.names using gin (world_id, folded_name gin_trgm_ops);

-- One row a link, found by its target; the source's body says which it has.
create table element.links (
  world_id uuid not null,
  target_id uuid not null,
  field text not null,
  source_id uuid not null,
  constraint links_pkey primary key (world_id, target_id, field, source_id)
);

create index links_by_source on element.links (world_id, source_id);

-- What is hidden, beside its element: the body never shows it. `place` is the one that the hide took.
create table element.marks (
  world_id uuid not null,
  id uuid not null,
  type text not null,
  place bigint not null,
  set_at timestamptz not null,
  set_by uuid,
  constraint marks_pkey primary key (world_id, id)
);

create index marks_by_place on element.marks (world_id, place);

-- One row a deletion, kept for ever. An id made again and deleted again has two.
create table element.tombstones (
  world_id uuid not null,
  change_seq bigint not null,
  id uuid not null,
  type text not null,
  deleted_at timestamptz not null,
  deleted_by uuid,
  deleted_via text not null,
  -- Who could see the element when it went.
  created_by uuid,
  characters uuid[] not null,
  roster_character boolean not null,
  hidden boolean not null,
  constraint tombstones_pkey primary key (world_id, change_seq)
);

-- What was answered to a keyed request, committed with what it wrote.
create table element.receipts (
  world_id uuid not null,
  scope text not null,
  key text not null,
  request_hash text not null,
  status smallint not null,
  reply text not null,
  created_at timestamptz not null,
  constraint receipts_pkey primary key (world_id, scope, key)
);

create index receipts_by_age on element.receipts (created_at);

-- A young table analysed with one world in it would make the planner expect that world's rows for every world.
alter table element.elements alter column world_id set (n_distinct = 1);
alter table element.names alter column world_id set (n_distinct = 1);
alter table element.links alter column world_id set (n_distinct = 1);
alter table element.tombstones alter column world_id set (n_distinct = 1);
