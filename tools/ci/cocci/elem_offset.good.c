struct elem *elem_at(struct htab *htab, u32 i)
{
	return htab->elems + i * (u64)htab->elem_size;
}

struct elem *elem_behind(struct htab *htab, u32 i)
{
	return htab->elems + (u64)i * htab->elem_size;
}

u32 two(struct htab *htab)
{
	return 2 * htab->elem_size;
}

u64 all(struct htab *htab)
{
	u64 n = htab->max_entries;

	return htab->elem_size * n;
}
