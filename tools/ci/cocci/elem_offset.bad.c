struct elem *elem_at(struct htab *htab, u32 i)
{
	return htab->elems + i * htab->elem_size;
}
