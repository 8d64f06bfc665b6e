int refused(struct bucket *b)
{
	unsigned long flags;

	htab_lock_bucket(b, &flags);
	b->n++;
	htab_unlock_bucket(b, flags);
	return 0;
}
