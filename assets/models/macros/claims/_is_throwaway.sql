-- Whether a group id looks made up for one use: a console tool's, or one that ends with a UUID or random digits.
SELECT regexp_matches(
    group_id,
    '^(console|perf)-consumer-[0-9]+$|^anonymous\.|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'
    || '|[-_.]([0-9]{6,}|[0-9a-f]*[0-9][0-9a-f]{7,}|[0-9a-f]{7,}[0-9][0-9a-f]*)$',
    'i'
)
