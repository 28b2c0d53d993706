-- Mails of the last day, to limit what anybody can cause. A recipient is kept as the SHA-256 of its folded email, so that
-- nothing here names it. `account_id` is the account that caused the mail; null when none did. Old rows are deleted as new
-- ones are inserted.
create table membership.mails (
  id bigint generated always as identity,
  recipient bytea not null,
  account_id uuid,
  created_at timestamptz not null default now(),
  constraint mails_pkey primary key (id)
);

create index mails_recipient_idx on membership.mails (recipient, created_at);
create index mails_account_idx on membership.mails (account_id, created_at) where account_id is not null;
create index mails_created_idx on membership.mails (created_at);

-- When the account behind a PIN was last mailed that the PIN is being guessed.
create table membership.pin_notices (
  pin_holder text not null,
  noticed_at timestamptz not null default now(),
  constraint pin_notices_pkey primary key (pin_holder)
);
