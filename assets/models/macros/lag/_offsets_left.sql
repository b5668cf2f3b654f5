-- Offsets from a commit to the log end, 0 for a commit beyond it; NULL where either is not known.
SELECT if(log_end_offset < committed_offset, 0, _minus(log_end_offset, committed_offset))
