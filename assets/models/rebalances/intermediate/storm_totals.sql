-- What the rebalances of each storm come to.
SELECT
    cluster, group_id, log_partition, storm, min(log_offset) AS log_offset, max(log_offset) AS last_log_offset,
    min(started_at) AS from_at, max(coalesce(ended_at, started_at)) AS to_at, count(*) AS rebalances,
    sum(generations) AS generations, sum(pause_total_ms) AS pause_total_ms, sum(pause_ms) AS pause_ms,
    count(pause_ms) AS pauses_known, sum(len(members_joined)) AS joined, sum(len(members_left)) AS gone,
    mode(trigger ORDER BY trigger) AS trigger, coalesce(sum(pause_lower_ms) FILTER (stops_all), 0) AS still_ms,
    2
    * count_if(
        coalesce(least(members_before, members_after) >= 1 AND greatest(members_before, members_after) >= 2, TRUE)
    )
    < count(*) AS is_restarted
FROM storm_rebalances GROUP BY ALL
