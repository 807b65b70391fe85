from __future__ import annotations

import random

from rollouts.policies.protocol import PolicyAnswer, PolicyRequest
from training.rl.starter.noisy_oracle import NoisyOracle, make_wrong

PAGE = '<a id="1">Cart</a><a id="2">Orders</a><p>Total $12.50</p>'
CLICK = '# Element: Cart\ndo(action="Click", element="1")'
TYPE = '# Element: Name\ndo(action="Type", argument="Robin", element="3")'


class Scripted:
    def __init__(self, output):
        self.output = output

    def act(self, requests):
        return [PolicyAnswer(self.output, 0.0, 0) for _ in requests]


def request(seed, *history):
    return PolicyRequest("Open the cart.", history, ("",) * len(history), PAGE, seed)


def test_most_steps_are_the_oracles():
    policy = NoisyOracle(Scripted(CLICK))
    outputs = [a.output for a in policy.act([request(seed) for seed in range(200)])]
    wrong = sum(output != CLICK for output in outputs)
    assert 5 < wrong < 50


def test_the_same_seed_makes_the_same_mistake():
    policy = NoisyOracle(Scripted(TYPE))
    requests = [request(seed) for seed in range(50)]
    assert policy.act(requests) == policy.act(requests)


def test_a_wrong_element_is_called_by_its_own_label():
    outputs = {make_wrong(random.Random(seed), PAGE, CLICK) for seed in range(50)}
    assert '# Element: Orders\ndo(action="Click", element="2")' in outputs


def test_a_wrong_answer_stands_on_the_page():
    answer = make_wrong(random.Random(0), PAGE, 'exit(message="$99.00")')
    assert answer in {
        f'exit(message="{word}")' for word in ("Cart", "Orders", "Total", "$12.50")
    }


def test_a_lost_oracle_gives_up_after_two_scrolls():
    scroll = 'do(action="Scroll Down")'
    answer = NoisyOracle(Scripted(scroll)).act([request(0, scroll, scroll)])[0]
    assert answer.output == 'exit(message="")'
