"""Every objective by its name. A new one is a file in this folder and a row here."""

from __future__ import annotations

from training.rl.objectives import (
    awr,
    digirl,
    expert_iteration,
    filtered_bc,
    filtered_bc_replay,
    grpo,
    sft,
    webrl_paper,
    webrl_reference,
)
from training.rl.objectives.types import Objective

OBJECTIVES: dict[str, Objective] = {
    objective.name: objective
    for objective in (
        webrl_paper.OBJECTIVE,
        webrl_reference.OBJECTIVE,
        sft.OBJECTIVE,
        filtered_bc.OBJECTIVE,
        filtered_bc_replay.OBJECTIVE,
        expert_iteration.OBJECTIVE,
        awr.OBJECTIVE,
        digirl.OBJECTIVE,
        grpo.OBJECTIVE,
    )
}
