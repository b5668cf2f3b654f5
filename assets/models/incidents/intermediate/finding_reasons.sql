-- Why findings came about, by their kind.
FROM (
    VALUES
    ('skip', 'set forward', 'a commit moved its committed offset forward while the group had no members'),
    ('skip', 'sought ahead', 'a member went on at a higher offset than it had read up to, as after a seek'),
    (
        'skip',
        'begun at the end',
        'its committed offset had been removed; it restarted at the log end (as with auto.offset.reset=latest)'
    ),
    ('skip', 'overtaken', 'the log start moved past its committed offset before it read on'),
    ('skip', 'left behind', 'the log start moved past its committed offset, and it has committed nothing since'),
    (
        'replay',
        'begun at the start',
        'its committed offset had been removed; it restarted at the log start (as with auto.offset.reset=earliest)'
    ),
    ('replay', 'set back', 'a commit moved its committed offset back'),
    ('replay', 'handed over', 'a partition was reassigned; its new owner started at the last committed offset'),
    (
        'replay',
        'assigned again',
        'a rebalance assigned the same member its partition again, and it started at the last committed offset'
    ),
    (
        'replay',
        'truncated',
        'its committed offset was beyond the log end, as after a truncation, and then a lower one was committed'
    ),
    ('storm', 'member comes back', 'members of the same client id and host left and joined again, over and over'),
    ('storm', 'same cause', 'rebalances of the same cause followed one another without a change of members'),
    ('storm', 'stands still', 'for most of that time its members were stopped by rebalances'),
    (
        'restarts',
        'group restarts',
        'a process that restarts, or that exceeds its session or poll timeout; mostly there was no other member'
    ),
    ('diverged', 'commit of a lost end', 'the log was truncated below its committed offset'),
    (
        'diverged',
        'commit ahead of the log',
        'its committed offset is beyond the log end, and records were appended after that commit'
    ),
    ('diverged', 'copies differ', 'replicas hold different records under the same offsets and leader epoch'),
    (
        'diverged',
        'lost end',
        'a later leader wrote other records at these offsets (unclean leader election, or acks=1)'
    ),
    ('diverged', 'two_installations', 'logs of two installations were read under one cluster id'),
    (
        'diverged',
        'group in another partition',
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
    ('stopped', 'not subscribed', 'no member subscribes to the topic any more'),
    ('stopped', 'topic recreated', 'the topic was deleted and created again'),
    ('stopped', 'topic deleted', 'the topic was deleted'),
    ('stopped', 'group removed', 'the group was deleted, but not its committed offset'),
    ('stopped', 'stood still', 'records were appended meanwhile, and the group went on later'),
    ('stopped', 'stalled for a while', 'it committed the same offset again and again, and went on later'),
    ('behind', 'lag grew', 'its lag grew from commit to commit'),
    (
        'expiring',
        'expire as their commits say',
        'no member subscribes to the topic, and the commits name this expiry time'
    ),
    (
        'expiring',
        'expire by retention',
        'no member subscribes to the topic; the time is by the brokers'' offsets.retention.minutes'
    ),
    (
        'expiring',
        'expire by default',
        'no member subscribes to the topic, if offsets.retention.minutes is the default, a week'
    ),
    ('transaction', 'commits pending', 'a transaction was open for longer than transaction.max.timeout.ms allows'),
    ('transaction', 'readers held back', 'a transaction was open for longer than transaction.max.timeout.ms allows'),
    ('cleaner', 'stuck', 'records that it could remove have waited for more than a day'),
    ('produced', 'sent twice', 'the log holds the same producer id and sequence numbers twice'),
    (
        'produced',
        'same bytes',
        'a producer without idempotence retried, or the application sent the same records again'
    ),
    ('produced', 'sequence gap', 'the sequence numbers of a producer do not follow each other')
) AS s (kind, how, reason)
