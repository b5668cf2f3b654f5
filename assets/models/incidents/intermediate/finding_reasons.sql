-- Why findings came about, by their kind.
FROM (
    VALUES
    ('skip', 'set_forward', 'a commit moved its committed offset forward while the group had no members'),
    ('skip', 'skipped_ahead', 'a member went on at a higher offset than it had read up to, as after a seek'),
    (
        'skip',
        'restarted_at_latest',
        'its committed offset had been removed; it restarted at the log end (as with auto.offset.reset=latest)'
    ),
    ('skip', 'overtaken_by_log_start', 'the log start moved past its committed offset before it read on'),
    ('skip', 'below_log_start', 'the log start moved past its committed offset, and it has committed nothing since'),
    (
        'replay',
        'restarted_at_earliest',
        'its committed offset had been removed; it restarted at the log start (as with auto.offset.reset=earliest)'
    ),
    ('replay', 'set_back', 'a commit moved its committed offset back'),
    ('replay', 'handed_over', 'a partition was reassigned; its new owner started at the last committed offset'),
    (
        'replay',
        'reassigned_to_same_member',
        'a rebalance assigned the same member its partition again, and it started at the last committed offset'
    ),
    (
        'replay',
        'truncated',
        'its committed offset was beyond the log end, as after a truncation, and then a lower one was committed'
    ),
    ('storm', 'member_returns', 'members of the same client id and host left and joined again, over and over'),
    ('storm', 'same_cause', 'rebalances of the same cause followed one another without a change of members'),
    ('storm', 'mostly_stopped', 'for most of that time its members were stopped by rebalances'),
    (
        'restarts',
        'group_restarts',
        'a process that restarts, or that exceeds its session or poll timeout; mostly there was no other member'
    ),
    ('diverged', 'commit_of_truncated_records', 'the log was truncated below its committed offset'),
    (
        'diverged',
        'commit_ahead_of_log',
        'its committed offset is beyond the log end, and records were appended after that commit'
    ),
    ('diverged', 'copies_differ', 'replicas hold different records under the same offsets and leader epoch'),
    (
        'diverged',
        'truncated_records',
        'a later leader wrote other records at these offsets (unclean leader election, or acks=1)'
    ),
    ('diverged', 'two_installations', 'logs of two installations were read under one cluster id'),
    (
        'diverged',
        'group_in_wrong_partition',
        'offsets.topic.num.partitions was changed, or a log directory belongs to another cluster'
    ),
    (
        'stopped',
        'stopped',
        'it has members and has committed nothing for more than ten minutes, while records were appended'
    ),
    (
        'stopped',
        'waits',
        'it has members and has committed nothing for more than ten minutes; nothing was appended either'
    ),
    ('stopped', 'stalled', 'it commits the same offset again and again'),
    (
        'stopped', 'silent', 'it has committed nothing for more than ten minutes, while records were appended; '
        || 'no record says whether it has members (programs may commit without joining)'
    ),
    ('stopped', 'closed', 'its last member left or expired, and records were appended since'),
    ('stopped', 'not_subscribed', 'no member subscribes to the topic any more'),
    ('stopped', 'topic_recreated', 'the topic was deleted and created again'),
    ('stopped', 'topic_deleted', 'the topic was deleted'),
    ('stopped', 'group_removed', 'the group was deleted, but not its committed offset'),
    ('stopped', 'commits_paused', 'records were appended meanwhile, and the group went on later'),
    ('stopped', 'stalled_for_a_time', 'it committed the same offset again and again, and went on later'),
    ('behind', 'lag_grew', 'its lag grew from commit to commit'),
    (
        'expiring',
        'explicit_expiry',
        'no member subscribes to the topic, and the commits name this expiry time'
    ),
    (
        'expiring',
        'configured_retention',
        'no member subscribes to the topic; the time is by the brokers'' offsets.retention.minutes'
    ),
    (
        'expiring',
        'default_retention',
        'no member subscribes to the topic, if offsets.retention.minutes is the default, a week'
    ),
    ('transaction', 'commits_pending', 'a transaction was open for longer than transaction.max.timeout.ms allows'),
    ('transaction', 'readers_held_back', 'a transaction was open for longer than transaction.max.timeout.ms allows'),
    ('cleaner', 'stuck', 'records that it could remove have waited for more than a day'),
    ('archived', 'rejected', 'a member rejected them'),
    (
        'archived',
        'out_of_attempts',
        'the limit of deliveries was reached, and the last attempt did not end with an acceptance either'
    ),
    ('archived', 'unknown', 'archived without success; no setting that was read tells the limit of deliveries'),
    (
        'stuck',
        'not_accepted',
        'deliveries ended with a release or an expired lock, as of members that fail or take longer than the lock'
    ),
    ('failover', 'started_ahead', 'it went on at the target of MirrorMaker 2 behind what it had read at the source'),
    ('produced', 'sent_twice', 'the log holds the same producer id and sequence numbers twice'),
    (
        'produced',
        'same_bytes',
        'a producer without idempotence retried, or the application sent the same records again'
    ),
    ('produced', 'sequence_gap', 'the sequence numbers of a producer do not follow each other')
) AS s (kind, claim_kind, reason)
