"""The parameters of an address of the ledger."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from django.http import QueryDict
from django.utils.translation import gettext_lazy

from rollouts.selectors.ledger import LedgerTask

SHOWN = {
    "changed": gettext_lazy("Lost and won"),
    "lost": gettext_lazy("Lost"),
    "won": gettext_lazy("Won"),
    "all": gettext_lazy("All tasks"),
}
# The same names as the list of episodes has.
BOUNDS = ("optimal_from", "optimal_to", "words_from", "words_to")


@dataclasses.dataclass(frozen=True, slots=True)
class Asked:
    """Two moments by their keys, and which tasks; "" and {} mean no choice."""

    start: str = ""
    to: str = ""
    show: str = "changed"
    site: str = ""
    only_unseen: bool = False
    bounds: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, query: QueryDict) -> Asked:
        """Read an address; invalid parameters are ignored."""
        show = query.get("show", "changed")
        return cls(
            start=query.get("from", ""),
            to=query.get("to", ""),
            show=show if show in SHOWN else "changed",
            site=query.get("site", "")[:60],
            only_unseen=query.get("unseen") == "yes",
            bounds={
                name: int(value)
                for name in BOUNDS
                if (value := query.get(name, "")).isdecimal() and len(value) < 7
            },
        )

    def wants(self, task: LedgerTask) -> bool:
        """Return whether the task matches the parameters."""
        if self.site not in ("", task.site):
            return False
        if self.only_unseen and not task.is_unseen:
            return False
        sizes = {"optimal": task.steps, "words": task.words}
        low = {kind: self.bounds.get(f"{kind}_from") for kind in sizes}
        high = {kind: self.bounds.get(f"{kind}_to") for kind in sizes}
        return all(_lies(sizes[kind], low[kind], high[kind]) for kind in sizes)

    def shows(self, change: str) -> bool:
        """Say whether tasks that changed so are listed."""
        wanted = ("lost", "won") if self.show == "changed" else (self.show,)
        return self.show == "all" or change in wanted

    def list_filters(self) -> dict[str, object]:
        """Return the same choice of tasks as the list of episodes knows it."""
        site = {"site": self.site} if self.site else {}
        return {**site, **self.bounds}


def _lies(size: int | None, low: int | None, high: int | None) -> bool:
    if low is None and high is None:
        return True
    return size is not None and (low or 0) <= size and (high is None or size <= high)
