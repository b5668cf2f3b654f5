-- Log directories of another installation than the one whose records are kept under the cluster's id: of the records of
-- the offsets topic that both have, nearly all say something else. Copies of one log differ at its end at most. Several
-- installations have one id where an image brings it along, or where a cluster was made anew.
WITH directories AS (
    SELECT
        cluster, regexp_replace(path, '/[^/]+/[^/]+$', '') AS log_directory, sum(shared_count) AS shared_records,
        sum(diverged_count) AS diverged_records, any_value(topic_id) AS topic_id, max(read_at) AS last_read_at
    FROM raw.segments
    WHERE topic = '__consumer_offsets' AND source = 'file'
    GROUP BY ALL
)
SELECT
    d.cluster,
    d.log_directory,
    d.shared_records::BIGINT AS shared_records,
    d.diverged_records::BIGINT AS diverged_records,
    if(EXISTS (FROM directories AS o WHERE o.cluster = d.cluster AND o.topic_id <> d.topic_id), 'proven', 'likely')
        AS certainty,
    d.last_read_at
FROM directories AS d
WHERE d.shared_records >= 20 AND d.diverged_records >= 0.9 * d.shared_records
