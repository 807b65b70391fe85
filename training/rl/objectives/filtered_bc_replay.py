"""Filtered BC with replay: train the last phase's policy on every success so far.

    L = -log pi(a | s, I)    for the phase's successes and all earlier ones

Filtered BC (`filtered_bc`) sees only the last phase's successes and forgets others.
"""

from __future__ import annotations

from training.rl.objectives import filtered_bc
from training.rl.objectives.types import Objective

OBJECTIVE = Objective(
    name="filtered_bc_replay",
    paper="Filtered BC (DigiRL, arXiv 2406.11896) with all earlier successes",
    formula="-log pi(a | s, I) where R > 0, over all phases so far",
    targets=filtered_bc.targets,
    loss=filtered_bc.loss,
    test="tests/training/rl/objectives/test_likelihood.py",
    uses_replay=True,
    replays_all=True,
    reads_reference=False,
    reads_values=False,
)
