-- What a mailed link must carry to verify an email. A used one is deleted; an old one verifies nothing.
create table membership.email_tokens (
  id uuid not null,
  account_id uuid not null,
  folded text not null,
  digest text not null,
  expires_at timestamptz not null,
  constraint email_tokens_pkey primary key (id),
  constraint email_tokens_digest_key unique (digest),
  constraint email_tokens_email_fkey foreign key (account_id, folded)
    references membership.emails (account_id, folded) on delete cascade
);

create index email_tokens_account_idx on membership.email_tokens (account_id, folded);

-- For development alone: the last mails as they were sent, with their secrets. Empty where mail goes out by SMTP.
create table membership.sent_mails (
  id bigint generated always as identity,
  recipient text not null,
  subject text not null,
  body text not null,
  sent_at timestamptz not null default now(),
  constraint sent_mails_pkey primary key (id)
);

-- A row outlives its key and its world, hence what it shows of them is kept here and neither is referenced.
-- `world_name` is the name last seen while the key worked.
create table membership.watched (
  id uuid not null,
  account_id uuid not null,
  key_id uuid not null,
  world_id uuid not null,
  world_name text not null,
  last4 text not null,
  added_at timestamptz not null default now(),
  constraint watched_pkey primary key (id),
  constraint watched_key_key unique (account_id, key_id),
  constraint watched_account_fkey foreign key (account_id) references membership.accounts (id) on delete cascade
);
