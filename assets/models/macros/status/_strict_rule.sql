-- The same window, judged more strictly than by the rule of Burrow's that decides: a set-back counts also at zero lag,
-- and until all that was ever committed in the window is reached again.
SELECT if(list_max(offsets) > offsets[-1], 'set_back', rule)
