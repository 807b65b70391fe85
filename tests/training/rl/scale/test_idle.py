"""A model that nobody asks leaves the device, and comes back when it is asked."""

from __future__ import annotations

import torch

from rollouts.policies.protocol import PolicyRequest, RestingPolicy
from training.rl.local_policy import LocalPolicy
from training.rl.scale.idle import find_device, leave_device, return_to_device

CUDA, CPU = torch.device("cuda"), torch.device("cpu")


class Model:
    """Says where its weights lie, and remembers where they were moved."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.moves: list[torch.device] = []

    def parameters(self):
        yield self

    def to(self, device):
        self.device = device
        self.moves.append(device)


def test_an_idle_model_leaves_the_device_and_gives_its_room_back():
    model, given = Model(CUDA), []
    leave_device(model, give_back=lambda: given.append(find_device(model)))
    assert model.moves == [CPU]
    # Room is given back once the weights are gone.
    assert given == [CPU]


def test_a_model_that_has_left_is_left_alone():
    model, given = Model(CPU), []
    leave_device(model, give_back=lambda: given.append(1))
    assert (model.moves, given) == ([], [])


def test_a_model_comes_back_once():
    model = Model(CPU)
    return_to_device(model, CUDA)
    return_to_device(model, CUDA)
    assert model.moves == [CUDA]


def test_a_policy_that_has_rested_answers_as_before(model, encoder):
    policy = LocalPolicy(model, encoder, temperature=1.0)
    assert isinstance(policy, RestingPolicy)
    request = PolicyRequest("Find the lamp", (), (), "<p>Home</p>", 5)
    before = policy.act([request])[0].token_ids
    policy.rest()
    assert policy.act([request])[0].token_ids == before
