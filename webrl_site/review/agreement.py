"""How far people who decided the same tasks agree. Pure functions.

- Percent agreement: of all pairs of decisions about the same task, the share that
  are equal.
- Cohen's kappa (1960), for two people: `(po - pe) / (1 - pe)`, where `po` is how often
  they agree and `pe` how often they would if each kept their own shares by chance.
- Krippendorff's alpha (2011), nominal, for any number of people and with gaps:
  `1 - Do / De`, observed over expected disagreement of the values that can be paired.

1 is perfect, 0 is chance. If everybody always decides the same, chance alone explains
the agreement, and kappa and alpha are not defined: they are None.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

Decisions = Mapping[str, str]
Array = npt.NDArray[np.float64]
Statistic = Callable[[Array, Array], Array]
RESAMPLES = 1000


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % bootstrap interval; None where it is not defined.

    `n` counts the resampled units: tasks that several people decided.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two people, the tasks both decided, and how far they agree."""

    first: str
    second: str
    n: int
    percent: float
    kappa: float | None


def measure_percent(units: Sequence[Decisions]) -> Estimate:
    """Return the share of equal pairs of decisions; each unit is one task's."""
    return _bootstrap(units, _percent)


def measure_alpha(units: Sequence[Decisions]) -> Estimate:
    """Return Krippendorff's alpha; units with one decision do not count."""
    return _bootstrap(units, _alpha)


def measure_kappa(pairs: Sequence[tuple[str, str]]) -> Estimate:
    """Return Cohen's kappa of two people's decisions, task by task."""
    cells = Counter(pairs)
    labels = sorted({label for cell in cells for label in cell})
    table = np.zeros((len(cells), len(labels), len(labels)))
    for row, (first, second) in enumerate(cells):
        table[row, labels.index(first), labels.index(second)] = 1
    return _draw_again(table, np.array(list(cells.values()), dtype=float), _kappa)


def compare_pairs(units: Sequence[Decisions]) -> list[Pair]:
    """Return the pairs of people with tasks in common, the most tasks first."""
    shared: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for unit in units:
        people = sorted(unit)
        for i, first in enumerate(people):
            for second in people[i + 1 :]:
                cells = shared.setdefault((first, second), Counter())
                cells[unit[first], unit[second]] += 1
    pairs = [_compare(*people, cells) for people, cells in shared.items()]
    return sorted(pairs, key=lambda pair: (-pair.n, pair.first, pair.second))


def _compare(first: str, second: str, cells: Counter[tuple[str, str]]) -> Pair:
    n = cells.total()
    agreed = sum(count for (a, b), count in cells.items() if a == b) / n
    firsts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for (a, b), count in cells.items():
        firsts[a] += count
        seconds[b] += count
    chance = sum(firsts[label] * seconds[label] for label in firsts) / n**2
    kappa = None if chance == 1 else (agreed - chance) / (1 - chance)
    return Pair(first, second, n, agreed, kappa)


def pair_decisions(
    units: Sequence[Decisions], first: str, second: str
) -> list[tuple[str, str]]:
    """Return both people's decisions about the tasks that they have in common."""
    return [
        (unit[first], unit[second])
        for unit in units
        if first in unit and second in unit
    ]


def _bootstrap(units: Sequence[Decisions], statistic: Statistic) -> Estimate:
    """Resample by pattern of decisions: thousands of tasks have only a few dozen."""
    several = [unit for unit in units if len(unit) > 1]
    labels = sorted({label for unit in several for label in unit.values()})
    patterns = Counter(
        tuple(Counter(unit.values())[label] for label in labels) for unit in several
    )
    table = np.array(list(patterns), dtype=float)
    weights = np.array(list(patterns.values()), dtype=float)
    return _draw_again(table, weights, statistic)


def _draw_again(table: Array, weights: Array, statistic: Statistic) -> Estimate:
    """Return the statistic, and its middle 95 % when tasks are resampled.

    `table` holds one row per pattern, `weights` (P,) how often each occurs.
    """
    n = int(weights.sum())
    if n == 0:
        return Estimate(None, None, None, 0)
    value = float(statistic(table, weights[None, :])[0])
    draws = np.random.default_rng(0).multinomial(n, weights / n, size=RESAMPLES)
    redrawn = statistic(table, draws.astype(float))
    defined = redrawn[np.isfinite(redrawn)]
    if not np.isfinite(value) or len(defined) < RESAMPLES / 2:
        return Estimate(None if not np.isfinite(value) else value, None, None, n)
    low, high = np.quantile(defined, [0.025, 0.975])
    return Estimate(value, float(low), float(high), n)


def _percent(counts: Array, weights: Array) -> Array:
    """Return percent agreement; `counts` (P, K) by label, `weights` is (B, P)."""
    people = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1)
    return np.asarray(weights @ agreeing / (weights @ (people * (people - 1))))


def _alpha(counts: Array, weights: Array) -> Array:
    """Return alpha for each of the B weightings; NaN where De is 0."""
    people = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (people - 1)
    values = weights @ counts
    n = values.sum(axis=1)
    observed = (n - weights @ agreeing) / n
    expected = (n**2 - (values**2).sum(axis=1)) / (n * (n - 1))
    return _one_minus(observed, expected)


def _kappa(cells: Array, weights: Array) -> Array:
    """Return kappa; `cells` (P, K, K) marks each pattern in the confusion matrix."""
    matrix = np.tensordot(weights, cells, axes=1)
    n = matrix.sum(axis=(1, 2))
    agreed = np.trace(matrix, axis1=1, axis2=2) / n
    chance = (matrix.sum(axis=2) * matrix.sum(axis=1)).sum(axis=1) / n**2
    return _one_minus(1 - agreed, 1 - chance)


def _one_minus(observed: Array, expected: Array) -> Array:
    is_defined = expected > 1e-12
    safe = np.where(is_defined, expected, 1.0)
    return np.where(is_defined, 1 - observed / safe, np.nan)
