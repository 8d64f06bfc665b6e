void *elem_key(struct htab_elem *l, u32 key_size)
{
	return (void *)l + sizeof(struct htab_elem);
}

void *elem_value(struct htab_elem *l, u32 key_size)
{
	return (char *)l + 24 + key_size;
}

u32 node_at(void)
{
	return offsetof(struct htab_elem_lru, lru_node);
}
