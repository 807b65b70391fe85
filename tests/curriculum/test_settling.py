from __future__ import annotations

import pytest

from curriculum.rules.vote_outcome import Settlement, Vote, settle

YES, NO, EDIT = Vote(True, "as it is"), Vote(False), Vote(True, "better")
OTHER = Vote(True, "otherwise")


@pytest.mark.parametrize(
    ("votes", "needed", "settled"),
    [
        ([], 1, Settlement("open")),
        ([YES], 1, Settlement("accept", "as it is")),
        ([NO], 1, Settlement("reject")),
        ([YES], 2, Settlement("open")),
        ([YES, YES], 3, Settlement("open")),
        ([YES, YES], 2, Settlement("accept", "as it is")),
        ([YES, NO], 2, Settlement("dispute")),
        ([YES, EDIT], 2, Settlement("dispute")),
        ([EDIT, EDIT], 2, Settlement("accept", "better")),
        ([YES, NO, NO], 3, Settlement("reject")),
        ([YES, EDIT, EDIT], 3, Settlement("accept", "better")),
        ([YES, EDIT, NO], 3, Settlement("dispute")),
        ([YES, EDIT, OTHER], 3, Settlement("dispute")),
        ([YES, YES, EDIT, NO, NO], 5, Settlement("accept", "as it is")),
        # More than were asked for, as after a change of what is needed.
        ([YES, NO, NO], 2, Settlement("reject")),
    ],
)
def test_the_majority_settles_a_task(votes, needed, settled):
    assert settle(votes, needed) == settled
