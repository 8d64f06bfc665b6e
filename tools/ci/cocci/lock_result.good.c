int refused(struct bucket *b)
{
	unsigned long flags;
	int ret;

	ret = htab_lock_bucket(b, &flags);
	if (ret)
		return ret;
	b->n++;
	htab_unlock_bucket(b, flags);
	if (raw_res_spin_lock(&b->lock))
		return -EBUSY;
	raw_res_spin_unlock(&b->lock);
	return 0;
}
