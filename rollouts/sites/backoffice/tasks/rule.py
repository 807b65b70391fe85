"""Office tasks that make, change and delete cart rules."""

from __future__ import annotations

from random import Random
from typing import Any

from rollouts.sites.backoffice import data
from rollouts.sites.backoffice.cart_rules import parse_day, phase_of
from rollouts.sites.backoffice.lookups import (
    RULE_BY_NAME,
    draw_days,
    go_to,
    one_of,
    rule_of,
    whole_number,
)
from rollouts.sites.backoffice.records import Rule
from rollouts.sites.backoffice.rules_data import ALL_GROUPS, rule_names
from rollouts.sites.backoffice.state import NAME, OfficeError
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import BACKOFFICE
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Infeasible,
    Values,
    change,
    require,
)
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.shop.data import CATEGORIES

FREE_NAMES = [n for n in rule_names(list(CATEGORIES)) if n not in RULE_BY_NAME]
OPEN_RULES = [rule for rule in data.RULES.values() if phase_of(rule) != "Ended"]
SAVE = Click("Save rule")


def _discount(values: Values) -> int:
    return whole_number(values, "discount", 1, 90)


def _day(values: Values, key: str) -> str:
    try:
        return parse_day(values[key], key)
    except OfficeError as error:
        raise Infeasible(str(error)) from None


def _require_period(starts: str, ends: str) -> None:
    is_good = starts <= ends and data.TODAY.isoformat() <= ends
    require(is_good, "A rule must end after it starts and after today.")


def _draw_new(rng: Random) -> Values:
    starts, ends = draw_days(rng, 3, 90, 60)
    return {
        "name": rng.choice(FREE_NAMES),
        "discount": str(rng.randrange(5, 55, 5)),
        "starts": starts,
        "ends": ends,
    }


def _new(values: Values, group: str, *choose: Step) -> Goal:
    name, discount = values["name"], _discount(values)
    starts, ends = _day(values, "starts"), _day(values, "ends")
    _require_period(starts, ends)
    require(NAME.fullmatch(name) is not None, "The site takes no such name.")
    known_names = {known.lower() for known in RULE_BY_NAME}
    require(name.lower() not in known_names, "Another rule has this name.")
    fields = {"name": name, "discount": discount, "group": group}
    state = {"rules": {slugify(name): {**fields, "starts": starts, "ends": ends}}}
    way: list[Step] = [Click("Promotions"), Click("Add rule"), Type("Name", name)]
    way += [Type("Discount", str(discount)), *choose]
    way += [Type("Starts on", starts), Type("Ends on", ends)]
    return change(BACKOFFICE, state, way, SAVE)


def _add(values: Values) -> Goal:
    return _new(values, ALL_GROUPS)


def _draw_new_for_group(rng: Random) -> Values:
    return {**_draw_new(rng), "group": rng.choice(data.GROUPS)}


def _add_for_group(values: Values) -> Goal:
    group = one_of(data.GROUPS, values, "group")
    return _new(values, group, Select("Group", group))


def _open_rule(values: Values) -> Rule:
    rule = rule_of(values)
    require(phase_of(rule) != "Ended", "The rule has ended.")
    return rule


def _edit(rule: Rule, fields: dict[str, Any], *steps: Step) -> Goal:
    way = [*go_to(rule), Click("Edit rule"), *steps, SAVE]
    return change(BACKOFFICE, {"rules": {rule.slug: fields}}, way)


def _draw_end(rng: Random) -> Values:
    _, ends = draw_days(rng, 95, 200, 60)  # after the end of every rule
    return {"rule": rng.choice(OPEN_RULES).name, "ends": ends}


def _set_end(values: Values) -> Goal:
    rule, ends = _open_rule(values), _day(values, "ends")
    _require_period(rule.starts, ends)
    require(ends != rule.ends, "The rule ends on this day already.")
    return _edit(rule, {"ends": ends}, Type("Ends on", ends))


def _draw_discount(rng: Random) -> Values:
    rule = rng.choice(OPEN_RULES)
    others = [n for n in range(5, 55, 5) if n != rule.discount]
    return {"rule": rule.name, "discount": str(rng.choice(others))}


def _set_discount(values: Values) -> Goal:
    rule, discount = _open_rule(values), _discount(values)
    require(discount != rule.discount, "The rule has this discount already.")
    return _edit(rule, {"discount": discount}, Type("Discount", str(discount)))


def _delete(values: Values) -> Goal:
    rule = rule_of(values)
    steps = [Click("Delete rule"), Click("Yes, delete")]
    state = {"rules": {rule.slug: {"deleted": True}}}
    return change(BACKOFFICE, state, go_to(rule), steps)


RULE_TEMPLATES = table(
    BACKOFFICE,
    "change",
    row(
        "backoffice.add_rule",
        _draw_new,
        _add,
        'Add a cart rule "{{name}}" with {{discount}} percent discount for all '
        "groups, from {{starts}} to {{ends}}.",
        'Make a promotion called "{{name}}" for all groups: discount {{discount}}, '
        "starts on {{starts}}, ends on {{ends}}.",
        "From {{starts}} to {{ends}} all groups shall get {{discount}} percent "
        'off; add the cart rule "{{name}}" for that.',
    ),
    row(
        "backoffice.add_rule_for_group",
        _draw_new_for_group,
        _add_for_group,
        'Add a cart rule "{{name}}" with {{discount}} percent discount for the '
        "group {{group}}, from {{starts}} to {{ends}}.",
        'Make a promotion called "{{name}}" for the group {{group}}: discount '
        "{{discount}}, starts on {{starts}}, ends on {{ends}}.",
        "From {{starts}} to {{ends}} the group {{group}} shall get {{discount}} "
        'percent off; add the cart rule "{{name}}" for that.',
        is_held_out=True,
    ),
    row(
        "backoffice.set_rule_end",
        _draw_end,
        _set_end,
        'Let the cart rule "{{rule}}" end on {{ends}}.',
        'Change the last day of the promotion "{{rule}}" to {{ends}}.',
        'Edit the cart rule "{{rule}}": it ends on {{ends}} now.',
    ),
    row(
        "backoffice.set_rule_discount",
        _draw_discount,
        _set_discount,
        'Change the discount of the cart rule "{{rule}}" to {{discount}} percent.',
        'The promotion "{{rule}}" shall give {{discount}} percent, save that.',
        'Edit the cart rule "{{rule}}": discount {{discount}}.',
    ),
    row(
        "backoffice.delete_rule",
        draw_one("rule", RULE_BY_NAME),
        _delete,
        'Delete the cart rule "{{rule}}".',
        'We no longer need the promotion "{{rule}}", delete it.',
        'Remove the cart rule "{{rule}}" for good.',
    ),
)
