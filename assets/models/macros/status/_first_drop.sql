-- Where a list first goes down: the number of the value that is less than the one before it; NULL when none is.
SELECT
    list_position(
        list_transform(range(2, len(numbers) + 1), LAMBDA place: coalesce(numbers[place] < numbers[place - 1], FALSE)),
        TRUE
    )
    + 1
