static void case_of(struct kunit *test)
{
	struct bpf_map *map = find();

	KUNIT_EXPECT_EQ(test, 1, 1);
	KUNIT_ASSERT_NOT_NULL(test, map);
	KUNIT_EXPECT_EQ(test, map->key_size, 4);
	map = find();
	KUNIT_EXPECT_NOT_NULL(test, map);
}
