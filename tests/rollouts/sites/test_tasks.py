from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest

from rollouts.sites.atlas import state as atlas_state
from rollouts.sites.backoffice import state as backoffice_state
from rollouts.sites.forum import data as forum
from rollouts.sites.forum import state as forum_state
from rollouts.sites.kit.plans import Exit, Switch, Type
from rollouts.sites.kit.sites import SITES
from rollouts.sites.kit.task_templates import (
    BLANK,
    NOT_AVAILABLE,
    Infeasible,
    Template,
    known,
)
from rollouts.sites.projects import state as projects_state
from rollouts.sites.sandbox.catalog import TEMPLATES
from rollouts.sites.shop import data as shop
from rollouts.sites.shop import state as shop_state

CHANGES = {
    "shop": shop_state.new_changes(),
    "forum": forum_state.new_changes(),
    "projects": projects_state.new_changes(),
    "atlas": atlas_state.new_changes(),
    "backoffice": backoffice_state.new_changes(),
}
WEBARENA_FIELDS = {
    "sites",
    "require_login",
    "storage_state",
    "start_url",
    "geolocation",
    "intent_template",
    "instantiation_dict",
    "intent",
    "require_reset",
    "eval",
}

each_template = pytest.mark.parametrize(
    "template", TEMPLATES.values(), ids=list(TEMPLATES)
)


def drawn(template: Template) -> list[dict[str, Any]]:
    rng = Random(1)
    return [
        template.build_task(phrasing, template.draw(rng))
        for phrasing in template.phrasings
        for _ in range(8)
    ]


@each_template
def test_a_template_has_several_wordings_of_the_same_blanks(
    template: Template,
) -> None:
    assert 3 <= len(template.phrasings) <= 5
    assert len(set(template.phrasings)) == len(template.phrasings)
    blanks = {frozenset(BLANK.findall(phrasing)) for phrasing in template.phrasings}
    assert blanks == {frozenset(template.draw(Random(0)))}


@each_template
def test_a_templates_tasks_are_well_formed(template: Template) -> None:
    for task in drawn(template):
        assert set(task) >= WEBARENA_FIELDS
        assert task["sites"] == template.site_keys
        assert task["start_url"].startswith(f"{template.site.placeholder}/")
        assert "{" not in task["intent"]
        assert 2 <= task["optimal_steps"] <= 12


@each_template
def test_a_templates_check_fits_its_kind(template: Template) -> None:
    for task in drawn(template):
        rules = task["eval"]
        plan = template.solve(task["instantiation_dict"]).plan
        last = plan[-1]
        assert isinstance(last, Exit)
        assert not any(isinstance(step, Exit) for step in plan[:-1])
        answer = (rules["reference_answers"] or {}).get("exact_match", "")
        assert last.answer == answer
        if template.kind == "find":
            assert rules["eval_types"] == ["string_match"]
            assert answer not in ("", NOT_AVAILABLE)
        if template.kind == "impossible":
            assert answer == NOT_AVAILABLE
        if template.kind == "navigate":
            assert rules["eval_types"] == ["url_match"]
            assert rules["reference_url"].startswith(template.site.placeholder)


@each_template
def test_a_change_names_parts_of_the_sites_state(template: Template) -> None:
    for task in drawn(template):
        expected = task["eval"]["reference_state"]
        assert bool(expected) == (template.kind == "change")
        for part in expected:
            assert part["site"] in template.site_keys
            assert part["equals"] != CHANGES[part["site"]][part["path"]]


@pytest.mark.parametrize(
    "template", [t for t in TEMPLATES.values() if not t.others], ids=lambda t: t.key
)
def test_what_is_typed_stands_in_the_instruction(template: Template) -> None:
    """Unless another site says it."""
    for task in drawn(template):
        for step in template.solve(task["instantiation_dict"]).plan:
            if isinstance(step, Type):
                assert step.text in task["intent"]


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.key)
def test_a_site_has_all_kinds_of_templates(site: Any) -> None:
    own = [t for t in TEMPLATES.values() if t.sites == (site,)]
    kinds = [template.kind for template in own]
    assert set(kinds) == {"find", "navigate", "change", "impossible"}
    assert len(own) >= 10
    assert kinds.count("impossible") >= 2


def test_a_task_on_two_sites_names_both_in_its_plan() -> None:
    for template in (t for t in TEMPLATES.values() if t.others):
        plan = template.solve(template.draw(Random(0))).plan
        tabs = {step.tab for step in plan if isinstance(step, Switch)}
        assert tabs <= {0, 1} and (tabs or template.kind == "impossible")


def test_names_that_do_not_exist_are_infeasible() -> None:
    with pytest.raises(Infeasible, match='no product called "Moon"'):
        TEMPLATES["shop.find_price"].solve({"product": "Moon"})
    with pytest.raises(Infeasible, match="no order 7"):
        TEMPLATES["shop.open_order"].solve({"order": "7"})
    with pytest.raises(Infeasible, match="no forum"):
        TEMPLATES["forum.open_forum"].solve({"forum": "Cars"})
    assert known({"a": 1}, "a", "letter") == 1


def test_goals_that_the_site_forbids_are_infeasible() -> None:
    sold_out = next(p.name for p in shop.PRODUCTS.values() if not p.stock)
    with pytest.raises(Infeasible, match="sold out"):
        TEMPLATES["shop.buy"].solve({"product": sold_out})
    saved = forum.POSTS[forum.SAVED[0]].title
    with pytest.raises(Infeasible, match="saved it already"):
        TEMPLATES["forum.save"].solve({"post": saved})


def test_no_address_is_the_beginning_of_another() -> None:
    """url_match compares by substring."""
    for slugs in (shop.PRODUCTS, shop.CATEGORY_BY_SLUG, forum.POSTS, forum.USERS):
        ordered = sorted(slugs)
        pairs = itertools.pairwise(ordered)
        assert not any(after.startswith(before) for before, after in pairs)
