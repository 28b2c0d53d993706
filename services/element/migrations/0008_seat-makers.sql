-- Seats that a member made for itself: their roles never stand above its own, and they go when it goes. A row is inserted
-- before the commit that puts the seat on the roll, and means nothing without that.
create table element.seat_makers (
  world_id uuid not null,
  member_id uuid not null,
  maker uuid not null,
  constraint seat_makers_pkey primary key (world_id, member_id)
);

create index seat_makers_by_maker on element.seat_makers (world_id, maker);
