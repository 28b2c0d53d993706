-- Who comes in and who is asking. Secrets are stored as digests ("<pepper id>:<HMAC-SHA-256>"), never as text.

create table membership.accounts (
  id uuid not null,
  name text not null,
  pin_digest text,
  password_hash text,
  created_at timestamptz not null default now(),
  constraint accounts_pkey primary key (id)
);

-- `folded` is the lower case that the service makes, so no database locale decides which emails are equal.
create table membership.emails (
  account_id uuid not null,
  folded text not null,
  email text not null,
  verified boolean not null,
  created_at timestamptz not null default now(),
  constraint emails_pkey primary key (account_id, folded),
  constraint emails_account_fkey foreign key (account_id) references membership.accounts (id) on delete cascade
);

-- Several accounts may claim an email; one can have verified it.
create unique index emails_verified_key on membership.emails (folded) where verified;

create table membership.tokens (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  digest text not null,
  last4 text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  constraint tokens_pkey primary key (id),
  constraint tokens_digest_key unique (digest),
  constraint tokens_account_fkey foreign key (account_id) references membership.accounts (id) on delete cascade
);

create index tokens_account_idx on membership.tokens (account_id, created_at, id);

-- A world shows only while it is open. Its name and times are element's; `public_read` is decided here.
create table membership.worlds (
  id uuid not null,
  owner_account uuid not null,
  state text not null,
  public_read boolean not null default false,
  created_at timestamptz not null default now(),
  constraint worlds_pkey primary key (id),
  constraint worlds_owner_fkey foreign key (owner_account) references membership.accounts (id),
  constraint worlds_state_check check (state in ('opening', 'open', 'deleted'))
);

create index worlds_owner_idx on membership.worlds (owner_account, created_at, id);

-- `membership` is null for the owner's keys and for legacy keys. `account_id` holds the key.
create table membership.keys (
  id uuid not null,
  world_id uuid not null,
  membership uuid,
  account_id uuid not null,
  name text not null,
  digest text not null,
  last4 text not null,
  scope text not null,
  legacy boolean not null default false,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  constraint keys_pkey primary key (id),
  constraint keys_digest_key unique (digest),
  constraint keys_world_fkey foreign key (world_id) references membership.worlds (id),
  constraint keys_account_fkey foreign key (account_id) references membership.accounts (id),
  constraint keys_scope_check check (scope in ('read', 'write'))
);

create index keys_world_idx on membership.keys (world_id, created_at, id);

-- What element must still be told. Written in the commit that makes it necessary, removed once element knows.
-- `due_at` leaves the request that wrote the row time to do it; later the relay does.
create table membership.outbox (
  id uuid not null,
  kind text not null,
  world_id uuid,
  payload jsonb not null,
  created_at timestamptz not null default now(),
  due_at timestamptz not null,
  constraint outbox_pkey primary key (id)
);

create index outbox_due_idx on membership.outbox (due_at);
