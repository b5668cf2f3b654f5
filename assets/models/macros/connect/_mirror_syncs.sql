-- Offset syncs, and the run of copying that each belongs to: a new one begins where offsets of either side do not go
-- up together, as after MirrorMaker began anew or a topic was made anew. A run is in force from its first sync on.
-- Where the offsets of the target went up by more than those of the source between two syncs of a run, something
-- stands there besides one copy of each record: second copies, or the markers of MirrorMaker's own transactions.
-- Between two such places is a stretch, from clean_from to clean_to. has_more says that a run has such a place, or
-- only one sync. Of equal ones in a run the first counts.
WITH steps AS (
    SELECT
        *, coalesce(
            upstream_offset < before.upstream_offset OR downstream_offset < before.downstream_offset
            OR (upstream_offset = before.upstream_offset) <> (downstream_offset = before.downstream_offset), FALSE
        ) AS is_new_run
    FROM (
        SELECT
            *,
            lag({ 'upstream_offset': upstream_offset, 'downstream_offset': downstream_offset }) OVER (
                PARTITION BY cluster, syncs_topic, topic, partition ORDER BY log_partition, log_offset
            ) AS before
        FROM core.mirror_offset_syncs
        WHERE upstream_offset >= 0 AND downstream_offset >= 0
    )
),
runs AS (
    SELECT
        *, count_if(is_new_run) OVER (
            PARTITION BY cluster, syncs_topic, topic, partition ORDER BY log_partition, log_offset
        ) AS run,
        if(
            is_new_run, NULL, _minus(downstream_offset, before.downstream_offset)
            > _minus(upstream_offset, before.upstream_offset)
        ) AS went_up_more
    FROM steps
),
stretches AS (
    SELECT
        *, count_if(coalesce(went_up_more, FALSE)) OVER (
            PARTITION BY cluster, syncs_topic, topic, partition, run ORDER BY log_partition, log_offset
        ) AS stretch
    FROM runs
)
SELECT
    cluster, syncs_topic, topic, partition, log_partition, log_offset, upstream_offset, downstream_offset, run,
    min(synced_at) OVER runs AS run_began_at, coalesce(bool_or(went_up_more) OVER runs, TRUE) AS has_more,
    min(downstream_offset) OVER stretches AS clean_from, max(downstream_offset) OVER stretches AS clean_to
FROM stretches
WINDOW
    runs AS (PARTITION BY cluster, syncs_topic, topic, partition, run),
    stretches AS (PARTITION BY cluster, syncs_topic, topic, partition, run, stretch)
QUALIFY
    row_number() OVER (
        PARTITION BY cluster, syncs_topic, topic, partition, run, upstream_offset, downstream_offset
        ORDER BY log_partition, log_offset
    ) = 1
