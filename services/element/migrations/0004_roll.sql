-- Who a seat's sponsor is concerns nobody's view: membership knows it.
alter table element.members drop column sponsor;

create index members_by_character on element.members (world_id, character) where character is not null;

-- Marks are looked up by id for every link that is read. An index that begins with the world's column would do for
-- that as well as the primary key, as far as the planner can tell of a young table, and read all marks of the world.
drop index element.marks_by_place;
create index marks_by_place on element.marks ((world_id::text), place);

-- Deletions of one id: a hide of what was made again under it may keep them from a reader.
create index tombstones_by_id on element.tombstones (world_id, id);

-- What a member made, in the order of its pages and of its feed.
create index elements_by_creator on element.elements (world_id, created_by, type, change_seq)
  where created_by is not null;
create index elements_by_creator_and_place on element.elements (world_id, created_by, change_seq)
  where created_by is not null;

-- Which elements name a Character in `characters`, in the order of its guest's pages and feed.
create table element.appearances (
  world_id uuid not null,
  character_id uuid not null,
  id uuid not null,
  type text not null,
  change_seq bigint not null,
  constraint appearances_pkey primary key (world_id, character_id, id)
);

create index appearances_by_type on element.appearances (world_id, character_id, type, change_seq);
create index appearances_by_place on element.appearances (world_id, character_id, change_seq);
alter table element.appearances alter column world_id set (n_distinct = 1);

insert into element.appearances (world_id, character_id, id, type, change_seq)
select l.world_id, l.target_id, e.id, e.type, e.change_seq
from element.links l
join element.elements e on e.world_id = l.world_id and e.id = l.source_id
where l.field = 'characters';

-- Members whose accounts are gone: nothing shows them as its creator, and a job takes their names off what they made.
create table element.departures (
  world_id uuid not null,
  member_id uuid not null,
  departed_at timestamptz not null default now(),
  constraint departures_pkey primary key (world_id, member_id)
);

-- Whether anything is hidden in the world: while nothing is, a contributor is served as the owner is.
alter table element.world_heads add column marked boolean not null default false;
update element.world_heads h set marked = true
where exists (select 1 from element.marks m where m.world_id = h.world_id);
