-- Who owned each partition at an instant.
SELECT cluster, group_id, place.topic AS topic, place.partition AS partition, member_id, client_host AS host, client_id,
       group_instance_id, generation
FROM (
    SELECT * EXCLUDE (assigned, topic_partitions),
           unnest(list_transform(topic_partitions.partitions, lambda p: {'topic': topic_partitions.topic, 'partition': p})) AS place
    FROM (SELECT *, unnest(assigned) AS topic_partitions FROM members_at(ts))
)
