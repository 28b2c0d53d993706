-- The member that made this seat for itself: the seat goes when the member goes. Null for every other member.
alter table membership.members add column made_by uuid;
create index members_made_by_idx on membership.members (made_by) where made_by is not null;

-- Who is named as a sponsor without being a member must accept first. A world makes one offer to an email, for all its
-- links that name it; a refused or accepted offer is deleted.
create table membership.sponsor_offers (
  id uuid not null,
  world_id uuid not null,
  folded text not null,
  created_at timestamptz not null default now(),
  constraint sponsor_offers_pkey primary key (id),
  constraint sponsor_offers_email_key unique (world_id, folded),
  constraint sponsor_offers_world_fkey foreign key (world_id) references membership.worlds (id)
);

create index sponsor_offers_folded_idx on membership.sponsor_offers (folded);

-- The offer that the link's seats wait for; they are the owner's until it is accepted.
alter table membership.join_links add column sponsor_offer uuid;
alter table membership.join_links add constraint join_links_offer_fkey
  foreign key (sponsor_offer) references membership.sponsor_offers (id) on delete set null;
create index join_links_offer_idx on membership.join_links (sponsor_offer) where sponsor_offer is not null;

-- What came by a link is found by it.
create index members_via_idx on membership.members (via_id) where via_id is not null;
