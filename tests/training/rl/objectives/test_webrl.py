from __future__ import annotations

import pytest

from tests.training.rl.objectives import library
from tests.training.rl.objectives.helpers import make_actions
from training.rl.objectives import webrl_paper, webrl_reference
from training.rl.objectives.types import Episode
from training.rl.webrl_config import WebRLConfig

CONFIG = WebRLConfig(beta=0.2)


def shifted(shift: float, advantage: float):
    """An action of one token whose log-ratio is `shift`."""
    return make_actions([[-1.0 + shift]], [advantage], reference=[[-1.0]])


def test_the_paper_s_loss_is_the_squared_error_of_beta_times_the_log_ratio():
    actions = make_actions([[-1.0, -1.0]], [0.5], reference=[[-2.0, -1.5]])
    loss = webrl_paper.loss(actions, CONFIG)
    assert loss.item() == pytest.approx((0.2 * 1.5 - 0.5) ** 2)


@pytest.mark.parametrize("advantage", [0.4, -0.3])
def test_the_paper_s_loss_is_zero_at_the_closed_form_optimum(advantage):
    loss = webrl_paper.loss(shifted(advantage / 0.2, advantage), CONFIG)
    assert loss.item() == pytest.approx(0)


@pytest.mark.parametrize(
    ("shift", "advantage", "rises"), [(0, 0.5, True), (0, -0.5, False), (9, 0.5, False)]
)
def test_the_paper_s_loss_moves_an_action_towards_its_target(shift, advantage, rises):
    actions = shifted(shift, advantage)
    webrl_paper.loss(actions, CONFIG).sum().backward()
    assert (actions.log_probabilities.grad.item() < 0) == rises


def test_without_kl_the_paper_s_loss_is_the_policy_gradient():
    actions = shifted(0.3, 0.5)
    webrl_paper.loss(actions, WebRLConfig(use_kl=False)).sum().backward()
    assert actions.log_probabilities.grad.item() == -0.5


def test_the_paper_s_targets_are_the_two_point_advantages():
    (targets,) = webrl_paper.targets([Episode(1, 1.0, (0.2, 0.6))], CONFIG)
    # First: 0.5 (0.6 - 0.2) + 0.5 (1 - 0.2). Last: 0.5 (1 - 0.6) + 0.5 (1 - 0.6).
    assert [target.advantage for target in targets] == pytest.approx([0.6, 0.4])


def test_the_released_loss_ignores_steps_with_negative_advantage():
    actions = make_actions([[-1.0], [-1.0]], [0.1, -0.1])
    loss = webrl_reference.loss(actions, CONFIG)
    assert loss[0] > 0
    assert loss[1] == 0


def test_the_released_targets_leave_out_steps_with_negative_advantage():
    won, lost = (
        webrl_reference.targets([Episode(1, outcome, (0.5,))], CONFIG)[0][0]
        for outcome in (1.0, 0.0)
    )
    assert (won.left_out, lost.left_out) == ("", webrl_reference.NEGATIVE)


def test_the_released_loss_of_an_unmoved_action_is_half_over_its_beta():
    # Smooth L1 of a distance of 1 is 0.5; beta is 5 where the reference is confident.
    doubtful, confident = make_actions([[-1.0]], [1]), make_actions([[-0.01]], [1])
    assert webrl_reference.loss(doubtful, CONFIG).item() == pytest.approx(0.5)
    assert webrl_reference.loss(confident, CONFIG).item() == pytest.approx(0.1)


def test_the_released_loss_is_zero_beyond_its_target():
    loss = webrl_reference.loss(shifted(4.0, 1.0), CONFIG)
    assert loss.item() == pytest.approx(0)


def test_the_released_targets_depend_on_the_last_page():
    one, other = (
        webrl_reference.targets([Episode(1, 0.0, (0.9,), final)], CONFIG)[0][0]
        for final in (0.1, 0.8)
    )
    assert one.advantage == pytest.approx(-0.85)
    assert other.advantage == pytest.approx(-0.15)


def test_the_paper_s_loss_is_the_library_s_regression():
    """TRL's A2PO minimises the same squared error for whole sequences."""
    actions = make_actions(
        [[-1.0, -2.0], [-0.5, -3.0]], [0.5, -0.25], reference=[[-1.5, -2], [-1, -1]]
    )
    ours = webrl_paper.loss(actions, CONFIG).mean()
    theirs = library.a2po_loss(actions, CONFIG.beta)
    assert ours.item() == pytest.approx(theirs.item())


@pytest.mark.parametrize(("shift", "expected"), [(1.0, 0.09), (-9.5, 3.8)])
def test_huber_is_the_square_near_and_a_line_far_away(shift, expected):
    config = WebRLConfig(beta=0.2, far_rows="huber")
    # Errors of -0.3 and -2.4: the square, and twice the error less one.
    loss = webrl_paper.loss(shifted(shift, 0.5), config)
    assert loss.item() == pytest.approx(expected)


def test_a_capped_target_is_met_at_probability_one():
    config = WebRLConfig(beta=0.2, cap_targets=True)
    # Reference of -1: at most 0.2 of the advantage of 0.5 can be had.
    assert webrl_paper.loss(shifted(1.0, 0.5), config).item() == pytest.approx(0)
    assert webrl_paper.loss(shifted(1.0, -0.5), config).item() == pytest.approx(0.49)
