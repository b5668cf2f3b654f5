-- How bad the status is that a rule gives, from 0 for OK; NULL when nothing is known.
SELECT list_position(['OK', 'WARN', 'STOP', 'STALL', 'REWIND'], _partition_verdict(rule)) - 1
