"""Map tasks about Robin's lists, other people's notes and the settings."""

from __future__ import annotations

from random import Random

from rollouts.sites.atlas import data, robin
from rollouts.sites.atlas.lookups import (
    MODE_NAMES,
    NEW_LISTS,
    go_to,
    go_to_note,
    list_of,
    mode_of,
    new_list_of,
    place_of,
    town_of,
)
from rollouts.sites.kit.blanks import draw_one
from rollouts.sites.kit.plans import Click, Select, Step, Type
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.tables import row, table
from rollouts.sites.kit.task_templates import (
    Goal,
    Values,
    cannot,
    change,
    find,
    require,
)

OTHER_TOWNS = [town for town in data.TOWNS if town != robin.SETTINGS["town"]]
OTHER_MODES = {
    name: mode for name, mode in MODE_NAMES.items() if mode != robin.SETTINGS["mode"]
}


def _draw_remove(rng: Random) -> Values:
    slug, name = rng.choice(list(robin.LIST_NAMES.items()))
    return {"list": name, "place": data.PLACES[rng.choice(robin.SAVED[slug])].name}


def _remove(values: Values) -> Goal:
    place, slug = place_of(values), list_of(values)
    require(place.slug in robin.SAVED[slug], "The place is not on this list.")
    state = {"saved": {f"{slug}/{place.slug}": False}}
    steps = [Click("Saved"), Click(values["list"]), Click(f"Remove {place.name}")]
    return change(ATLAS, state, steps)


def _draw_new_list(rng: Random) -> Values:
    return {"list": f"{rng.choice(NEW_LISTS)} {rng.choice(list(data.TOWNS))}"}


def _create(values: Values) -> Goal:
    slug, name = new_list_of(values)
    steps: list[Step] = [Click("Saved"), Click("New list"), Type("Name", name)]
    return change(ATLAS, {"lists": {slug: name}}, steps, Click("Create list"))


def _delete(values: Values) -> Goal:
    slug = list_of(values)
    steps = [Click("Saved"), Click(values["list"]), Click("Delete list")]
    return change(ATLAS, {"lists": {slug: False}}, steps, Click("Yes, delete"))


def _no_list(values: Values) -> Goal:
    new_list_of(values)
    return cannot(Click("Saved"))


def _draw_note(rng: Random) -> Values:
    return {"place": data.PLACES[rng.choice(list(robin.NOTE_BY_PLACE))].name}


def _note_author(values: Values) -> Goal:
    place = place_of(values)
    steps = go_to_note(place)
    return find(robin.NOTE_BY_PLACE[place.slug].author, steps)


def _note_day(values: Values) -> Goal:
    place = place_of(values)
    steps = go_to_note(place)
    return find(robin.NOTE_BY_PLACE[place.slug].day, steps)


def _draw_saved(rng: Random) -> Values:
    slugs = [slug for saved in robin.SAVED.values() for slug in saved]
    return {"place": data.PLACES[rng.choice(slugs)].name}


def _list_of_place(values: Values) -> Goal:
    place = place_of(values)
    names = [
        robin.LIST_NAMES[slug]
        for slug, held in robin.SAVED.items()
        if place.slug in held
    ]
    require(len(names) == 1, f"{place.name} is not in exactly one list.")
    return find(names[0], go_to(place))


def _resolve(values: Values) -> Goal:
    place = place_of(values)
    steps = go_to_note(place)
    number = robin.NOTE_BY_PLACE[place.slug].number
    return change(
        ATLAS, {"resolved": {str(number): True}}, steps, Click("Resolve note")
    )


def _other_town(values: Values) -> str:
    town = town_of(values).name
    require(town in OTHER_TOWNS, f"{town} is the home town already.")
    return town


def _save_settings(*choices: Step) -> list[Step]:
    return [Click("Settings"), *choices, Click("Save settings")]


def _draw_home(rng: Random) -> Values:
    return {"town": rng.choice(OTHER_TOWNS)}


def _home(values: Values) -> Goal:
    town = _other_town(values)
    steps = _save_settings(Select("Home town", town))
    return change(ATLAS, {"settings": {"town": town}}, steps)


def _draw_settings(rng: Random) -> Values:
    return {**_draw_home(rng), "mode": rng.choice(list(OTHER_MODES))}


def _settings(values: Values) -> Goal:
    town, mode = _other_town(values), mode_of(values)
    require(mode in OTHER_MODES.values(), "Robin travels like that already.")
    choose = [Select("Home town", town), Select("Travel by", robin.MODES[mode])]
    state = {"settings": {"town": town, "mode": mode}}
    return change(ATLAS, state, _save_settings(*choose))


OWN_TEMPLATES = table(
    ATLAS,
    "change",
    row(
        "atlas.find_note_author",
        _draw_note,
        _note_author,
        'Who wrote the note about the "{{place}}"?',
        'Which person left a note about the "{{place}}"?',
        'Tell me the name of the author of the note about the "{{place}}".',
        kind="find",
    ),
    row(
        "atlas.find_note_day",
        _draw_note,
        _note_day,
        'On which day was the note about the "{{place}}" written?',
        'Tell me the date of the note about the "{{place}}".',
        'When did somebody write the note about the "{{place}}"?',
        kind="find",
    ),
    row(
        "atlas.find_list",
        _draw_saved,
        _list_of_place,
        'In which of my lists is the "{{place}}"?',
        'Which of my lists holds the "{{place}}"?',
        'Tell me the name of the list in which I saved the "{{place}}".',
        kind="find",
        is_held_out=True,
    ),
    row(
        "atlas.remove_saved",
        _draw_remove,
        _remove,
        'Remove the "{{place}}" from my list {{list}}.',
        'Take the "{{place}}" off my list {{list}}.',
        'I no longer want the "{{place}}" in my list {{list}}, remove it.',
    ),
    row(
        "atlas.create_list",
        _draw_new_list,
        _create,
        'Create a new list called "{{list}}".',
        'Make an empty list with the name "{{list}}".',
        'I want a new list "{{list}}" among my saved places.',
    ),
    row(
        "atlas.delete_list",
        draw_one("list", robin.LISTS),
        _delete,
        "Delete my list {{list}}.",
        "Delete the list {{list}} with all its places.",
        "I no longer need my list {{list}}, delete it.",
    ),
    row(
        "atlas.resolve_note",
        _draw_note,
        _resolve,
        'Resolve the note about the "{{place}}".',
        'The note about the "{{place}}" is done. Mark it as resolved.',
        'Find the note about the "{{place}}" and resolve it.',
    ),
    row(
        "atlas.change_home",
        _draw_home,
        _home,
        "Change my home town to {{town}}.",
        "Set {{town}} as my home town.",
        "I have moved to {{town}}. Change my home town in the settings.",
    ),
    row(
        "atlas.change_settings",
        _draw_settings,
        _settings,
        "Change my settings: home town {{town}}, and I travel {{mode}}.",
        "Set my home town to {{town}} and let me travel {{mode}}.",
        "In the settings, choose {{town}} as the home town and that I travel {{mode}}.",
        is_held_out=True,
    ),
    row(
        "atlas.missing_list",
        draw_one("list", NEW_LISTS),
        _no_list,
        "Delete my list {{list}}.",
        "Open my list {{list}}.",
        "How many places are in my list {{list}}?",
        kind="impossible",
    ),
)
