"""Expert iteration: train the first policy again, on every success so far.

    L = -log pi(a | s, I)    for the phase's successes and all earlier ones

Source: STaR (arXiv 2203.14465, section 3.1): each round trains the first model again
on everything that has been solved, so that no round inherits another's overfitting.
"""

from __future__ import annotations

from training.rl.objectives import filtered_bc
from training.rl.objectives.types import Objective

OBJECTIVE = Objective(
    name="expert_iteration",
    paper="STaR, arXiv 2203.14465",
    formula="-log pi(a | s, I) where R > 0, over all phases so far",
    targets=filtered_bc.targets,
    loss=filtered_bc.loss,
    test="tests/training/rl/objectives/test_likelihood.py",
    uses_replay=True,
    replays_all=True,
    begins_anew=True,
    reads_reference=False,
    reads_values=False,
)
