-- Java's hash of a text, over its UTF-16 units, as a number of 32 bits without a sign.
SELECT list_reduce(
    [0::BIGINT] || flatten(list_transform(
        regexp_extract_all(words, '(?s).'),
        lambda sign: if(unicode(sign) > 65535,
                        [55296 + ((unicode(sign) - 65536) >> 10), 56320 + ((unicode(sign) - 65536) & 1023)],
                        [unicode(sign)])
    ))::BIGINT[],
    lambda hash, unit: (hash * 31 + unit) & 4294967295
)
