-- Files of elements and images of accounts: who may put which bytes where, and what became of it.

-- Its row is the world's file lock: whatever changes what the world's files take holds it.
create table file.worlds (
  world_id uuid not null,
  used_bytes bigint not null default 0,
  closed boolean not null default false,
  -- When the last of a closed world's files was given up.
  purged_at timestamptz,
  constraint worlds_pkey primary key (world_id)
);

create index worlds_to_purge on file.worlds (world_id) where closed and purged_at is null;

-- An account's image storage, and the lock of it.
create table file.accounts (
  account_id uuid not null,
  used_bytes bigint not null default 0,
  gone boolean not null default false,
  constraint accounts_pkey primary key (account_id)
);

create index accounts_to_purge on file.accounts (account_id) where gone and used_bytes > 0;

-- One row a ticket. `reserved` until its bytes are reported or found, then `listed`; `void` when none came; `removed`
-- when they went. `birth` is the place that the element took as it was made: one made again under the id is another.
-- `membership` is null for the owner's keys; `agent_name` is a seat's.
create table file.files (
  world_id uuid not null,
  id uuid not null,
  element_id uuid not null,
  element_type text not null,
  birth bigint not null,
  kind text not null,
  name text not null,
  label text,
  account_id uuid not null,
  membership uuid,
  agent boolean not null,
  agent_name text not null,
  state text not null default 'reserved',
  size bigint,
  issued_at timestamptz not null default clock_timestamp(),
  -- From then on nobody can still be uploading: what has not been reported is looked for.
  settle_at timestamptz not null,
  added_at timestamptz,
  constraint files_pkey primary key (world_id, id),
  constraint files_state_check check (state in ('reserved', 'listed', 'removed', 'void'))
);

create index files_of_element on file.files (world_id, element_id, added_at) where state = 'listed';
create index files_of_world on file.files (world_id, added_at) where state = 'listed';
create index files_open on file.files (world_id) where state = 'reserved';
create index files_to_settle on file.files (settle_at) where state = 'reserved';
create index files_to_forget on file.files (issued_at) where state in ('removed', 'void');
create index files_issued on file.files (world_id, issued_at);

-- The same for images, whose keys are chosen as they are uploaded. A removed one stays, for its key is never taken again.
create table file.images (
  world_id uuid not null,
  id uuid not null,
  account_id uuid not null,
  membership uuid,
  key text,
  state text not null default 'reserved',
  bytes bigint,
  issued_at timestamptz not null default clock_timestamp(),
  settle_at timestamptz not null,
  added_at timestamptz,
  -- Until then a removal ticket may be used that has not been reported.
  removal_until timestamptz,
  constraint images_pkey primary key (world_id, id),
  constraint images_state_check check (state in ('reserved', 'listed', 'removed', 'void'))
);

create unique index images_by_key on file.images (world_id, key) where key is not null;
create index images_of_account on file.images (account_id, world_id, id) where state in ('reserved', 'listed');
create index images_removed on file.images (account_id, issued_at) where state = 'removed';
create index images_open on file.images (world_id) where state = 'reserved';
create index images_to_settle on file.images (settle_at) where state = 'reserved';
create index images_in_removal on file.images (removal_until) where removal_until is not null and state = 'listed';
create index images_to_forget on file.images (issued_at) where state = 'void';
create index images_issued on file.images (world_id, issued_at);

-- Elements that were deleted, each with the place of its tombstone: a ticket issued at that moment finds it here.
create table file.burials (
  world_id uuid not null,
  element_id uuid not null,
  place bigint not null,
  buried_at timestamptz not null default now(),
  constraint burials_pkey primary key (world_id, element_id)
);

create index burials_by_age on file.burials (buried_at);

-- Bytes that no row owns any longer, and the room that they leave. Written in the commit that gives them up.
create table file.doomed (
  world_id uuid not null,
  id uuid not null,
  keys text[] not null,
  room text not null,
  doomed_at timestamptz not null default now(),
  due_at timestamptz not null default now(),
  constraint doomed_pkey primary key (world_id, id)
);

create index doomed_due on file.doomed (due_at);
