-- Records of one partition, by their offsets, as evidence of a finding has them.
SELECT list_transform(
    list_sort(list_distinct(offsets)),
    LAMBDA o: {
        'cluster': of_cluster, 'topic': of_topic, 'partition': of_partition::INTEGER, 'record_offset': o::BIGINT
    }
)
