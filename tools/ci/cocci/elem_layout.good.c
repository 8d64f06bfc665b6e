void *elem_key(const struct htab *htab, struct htab_elem *l)
{
	return htab_elem_at(l, htab->key_offset);
}

struct htab_elem *elem_by_index(struct htab *htab, u32 i)
{
	return htab->elems + (u64)i * htab->elem_size;
}

void *past(struct other *o)
{
	return (void *)o + sizeof(struct other);
}
