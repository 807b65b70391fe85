from __future__ import annotations

from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from tests.training.rl.objectives.helpers import make_actions
from training.rl.objectives.table import OBJECTIVES
from training.rl.objectives.types import Episode
from training.rl.webrl_config import WebRLConfig

ROOT = Path(__file__).resolve().parents[4]


def test_the_configuration_names_every_objective_and_no_other():
    assert set(get_args(get_type_hints(WebRLConfig)["objective"])) == set(OBJECTIVES)


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_an_objective_names_paper_formula_and_test(objective):
    assert objective.paper
    assert objective.formula
    assert (ROOT / objective.test).is_file()


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_an_objective_has_a_target_for_every_step(objective):
    episodes = [Episode(1, 1.0, (0.2, 0.6)), Episode(1, 0.0, (0.3,))]
    found = objective.targets(episodes, WebRLConfig())
    assert [len(targets) for targets in found] == [2, 1]


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_a_loss_is_one_number_a_row_and_padding_changes_none(objective):
    config = WebRLConfig()
    short = make_actions([[-1.0, -2.0]], [0.5], reference=[[-1.5, -1.5]])
    padded = make_actions(
        [[-1.0, -2.0, 0.0], [-3.0, -1.0, -0.5]],
        [0.5, -0.5],
        reference=[[-1.5, -1.5, 0.0], [-2.0, -1.0, -1.0]],
        lengths=[2, 3],
    )
    alone, together = objective.loss(short, config), objective.loss(padded, config)
    assert together.shape == (2,)
    assert together[0].item() == pytest.approx(alone[0].item())


@pytest.mark.parametrize(
    "name", [name for name, one in OBJECTIVES.items() if one.has_kl]
)
def test_without_kl_the_reference_does_not_matter(name):
    config = WebRLConfig(use_kl=False)
    behaviour = [[-1.2, -1.8]]
    near, far = (
        make_actions([[-1.0, -2.0]], [0.5], reference=reference, behaviour=behaviour)
        for reference in ([[-1.0, -2.0]], [[-4.0, -7.0]])
    )
    loss = OBJECTIVES[name].loss
    assert loss(near, config).equal(loss(far, config))
