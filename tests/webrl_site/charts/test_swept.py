"""Success by a setting in which the chosen runs differ."""

from __future__ import annotations

from rollouts.selectors.pages import OutcomeRow
from webrl_site.charts import success_by_settings
from webrl_site.runs.config import RunConfig


def outcome(run: int, number: int, purpose: str, successes: int) -> OutcomeRow:
    return OutcomeRow(
        run_id=run,
        run_name=f"run {run}",
        phase_id=10 * run + number,
        phase_number=number,
        purpose=purpose,
        site="shop",
        site_name="Shop",
        n=10,
        successes=successes,
        tasks=10,
    )


def config(**algorithm: object) -> dict[str, object]:
    return RunConfig.parse({"algorithm": algorithm}).to_json()


def test_runs_with_other_betas_are_drawn_by_beta():
    configs = {1: config(beta=1), 2: config(beta=0.1)}
    rows = [
        outcome(1, 1, "baseline", 2),
        outcome(1, 1, "evaluate", 3),
        outcome(1, 2, "evaluate", 5),
        outcome(2, 1, "baseline", 2),
        outcome(2, 1, "evaluate", 4),
    ]
    (chart,) = success_by_settings(rows, configs)
    assert chart.key == "success-by-algorithm-beta"
    assert [(row.series, row.label, row.value) for row in chart.rows] == [
        ("Newest phase", "0.1", 40),
        ("Newest phase", "1", 50),
        ("Start", "0.1", 20),
        ("Start", "1", 20),
    ]
    assert chart.figure["layout"]["xaxis"]["categoryarray"] == ["0.1", "1"]


def test_sites_are_added_up():
    configs = {1: config(beta=1), 2: config(beta=0.1)}
    rows = [outcome(1, 1, "evaluate", 3), outcome(1, 1, "evaluate", 6)]
    (chart,) = success_by_settings(rows, configs)
    assert [(row.successes, row.n) for row in chart.rows] == [(9, 20)]


def test_runs_of_the_same_settings_have_no_such_chart():
    assert success_by_settings([], {1: config(), 2: config()}) == []


def test_runs_that_differ_in_much_are_no_sweep():
    other = config(beta=1, gae_lambda=0, use_kl=False, batch_size=64)
    assert success_by_settings([], {1: config(), 2: other}) == []
