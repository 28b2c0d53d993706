-- Who came into which world, and by what. Role, name and Character of a member are element's.

-- A deleted account keeps its row, without anything that tells who it was: worlds and keys refer to it.
alter table membership.accounts add column deleted_at timestamptz;

-- `account_id` is the person's who came by an invite; players and seats have none. `sponsor_account` is whose word a
-- seat acts on; null for the owner's. `via_id` is the invite or the link that was spent. A member is `joining` until
-- element has it, and shows nowhere until then.
create table membership.members (
  id uuid not null,
  world_id uuid not null,
  account_id uuid,
  kind text not null,
  via text not null,
  via_id uuid,
  state text not null,
  sponsor_account uuid,
  name text not null,
  secret_digest text,
  created_at timestamptz not null default now(),
  joined_at timestamptz,
  constraint members_pkey primary key (id),
  constraint members_world_fkey foreign key (world_id) references membership.worlds (id),
  constraint members_account_fkey foreign key (account_id) references membership.accounts (id),
  constraint members_sponsor_fkey foreign key (sponsor_account) references membership.accounts (id),
  constraint members_kind_check check (kind in ('person', 'agent')),
  constraint members_via_check check (via in ('invite', 'player', 'agent-link', 'seat')),
  constraint members_state_check check (state in ('joining', 'active', 'removed'))
);

-- However many invites one account accepts at once, it is one member.
create unique index members_person_key on membership.members (world_id, account_id)
  where account_id is not null and state in ('joining', 'active');

create index members_world_idx on membership.members (world_id, created_at, id);
create index members_account_idx on membership.members (account_id) where account_id is not null;
create index members_sponsor_idx on membership.members (sponsor_account) where sponsor_account is not null;

-- A pending invite, or one that the member named by `member_id` is accepting. An accepted one is deleted.
create table membership.invites (
  id uuid not null,
  world_id uuid not null,
  folded text not null,
  email text not null,
  role text not null,
  member_id uuid,
  created_at timestamptz not null default now(),
  constraint invites_pkey primary key (id),
  constraint invites_email_key unique (world_id, folded),
  constraint invites_world_fkey foreign key (world_id) references membership.worlds (id),
  constraint invites_role_check check (role in ('co_builder', 'contributor', 'guest'))
);

create index invites_folded_idx on membership.invites (folded);
create index invites_member_idx on membership.invites (member_id) where member_id is not null;

-- What a code lets in, once. Only the digest of the code is kept.
create table membership.join_links (
  id uuid not null,
  world_id uuid not null,
  reader text not null,
  role text not null,
  digest text not null,
  name text not null,
  sponsor_account uuid,
  "character" uuid,
  with_character boolean not null,
  status text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint join_links_pkey primary key (id),
  constraint join_links_digest_key unique (digest),
  constraint join_links_world_fkey foreign key (world_id) references membership.worlds (id),
  constraint join_links_sponsor_fkey foreign key (sponsor_account) references membership.accounts (id),
  constraint join_links_reader_check check (reader in ('agent', 'player')),
  constraint join_links_role_check check (role in ('co_builder', 'contributor', 'guest')),
  constraint join_links_status_check check (status in ('open', 'used', 'revoked'))
);

create index join_links_world_idx on membership.join_links (world_id, created_at, id);
create index join_links_sponsor_idx on membership.join_links (sponsor_account) where sponsor_account is not null;

-- A removed member's keys are found by whom they speak for.
create index keys_membership_idx on membership.keys (membership) where membership is not null;

-- What an account has used of its daily tokens on the UTC day `day`; an older day counts for nothing any longer.
create table membership.allowances (
  account_id uuid not null,
  day date not null,
  used bigint not null,
  sessions text[] not null,
  constraint allowances_pkey primary key (account_id),
  constraint allowances_account_fkey foreign key (account_id) references membership.accounts (id) on delete cascade
);
