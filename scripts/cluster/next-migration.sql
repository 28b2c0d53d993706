-- Expands a table that every request reads: the version before goes on over it, and does not know of it.
alter table element.elements add column cluster_test text;
