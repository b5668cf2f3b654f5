-- Where a list first goes down: the number of the value that is less than the one before it; NULL when none is.
SELECT list_position(list_transform(numbers, lambda number, place: coalesce(place > 1 AND number < numbers[place - 1], false)), true)
