-- Up to where commits were looked up.
SELECT cluster, log_partition, last_position FROM replay_partitions
