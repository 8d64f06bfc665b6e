static void case_of(struct kunit *test)
{
	struct bpf_map *map = find();

	KUNIT_EXPECT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->key_size, 4);
}
