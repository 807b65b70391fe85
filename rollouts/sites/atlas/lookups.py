"""What the map's task templates share: drawing entities and ways to reach them."""

from __future__ import annotations

from random import Random

from rollouts.sites.atlas import data, robin
from rollouts.sites.atlas.data import CATEGORIES, Place, Town
from rollouts.sites.atlas.directions import NoRoute, plan_route
from rollouts.sites.atlas.search import Row, arrange, find, in_category
from rollouts.sites.atlas.state import LIST_NAME
from rollouts.sites.atlas.streets import Route
from rollouts.sites.kit.plans import Click, Search, Step, Type
from rollouts.sites.kit.task_templates import Infeasible, Values, known, require
from rollouts.sites.kit.vocabulary import slugify, words
from rollouts.sites.kit.web import PAGE_SIZE

SEARCH_BOX = "Search the map"
SORT_BOX = "Sort by"
PLACES = list(data.PLACES.values())
CATEGORY_NAMES = {category.lower(): category for category in CATEGORIES}
MODE_NAMES = {"by car": "car", "by bike": "bike", "on foot": "foot"}
NEW_LISTS = words(
    "Weekend Summer Winter Birthday Friends Dinner Lunch Shopping Reading Sport"
)


def draw_place(rng: Random) -> Values:
    """Any place."""
    return {"place": rng.choice(PLACES).name}


def draw_town(rng: Random) -> Values:
    """Any town."""
    return {"town": rng.choice(list(data.TOWNS))}


def draw_category(rng: Random) -> Values:
    """A town and a category that it has, in lower case as in a sentence."""
    town = data.TOWNS[rng.choice(list(data.TOWNS))]
    return {"town": town.name, "category": rng.choice(town.categories).lower()}


def draw_near(rng: Random) -> Values:
    """A place and a category with exactly one nearest member."""
    while True:
        place = rng.choice(PLACES)
        category = rng.choice(data.TOWNS[place.town].categories)
        values = {"place": place.name, "category": category.lower()}
        if _is_clear(near_rows(values)):
            return values


def draw_trip(rng: Random) -> Values:
    """Two places of a town with a way between them."""
    while True:
        town = rng.choice(list(data.BY_TOWN))
        start, end = rng.sample(data.BY_TOWN[town], 2)
        mode = rng.choice(list(MODE_NAMES))
        values = {"start": start.name, "end": end.name, "mode": mode}
        try:
            route = plan_route(start, end, MODE_NAMES[mode])
        except NoRoute:
            continue
        if len(route.legs) > 1:
            return values


def draw_list(rng: Random) -> str:
    """One of Robin's lists, not the one that a form offers first."""
    return rng.choice(robin.LISTS[1:])


def draw_hour(rng: Random) -> str:
    """An hour at which some places are open and others closed."""
    return f"{rng.choice((7, 8, 9, 10, 17, 18, 19, 20, 21, 22)):02d}:30"


def place_of(values: Values, key: str = "place") -> Place:
    """The place that a blank names."""
    return known(data.PLACE_BY_NAME, values[key], "place")


def town_of(values: Values) -> Town:
    """The town that a blank names."""
    return known(data.TOWNS, values["town"], "town")


def category_of(values: Values, town: Town) -> str:
    """The category that a blank names; the town must have it."""
    category = known(CATEGORY_NAMES, values["category"], "category")
    require(category not in town.missing, f"{town.name} has no {category.lower()}.")
    return category


def list_of(values: Values) -> str:
    """The slug of Robin's list that a blank names."""
    slugs = {name: slug for slug, name in robin.LIST_NAMES.items()}
    return known(slugs, values["list"], "list")


def new_list_of(values: Values) -> tuple[str, str]:
    """Slug and name of a list that Robin does not have yet."""
    name = values["list"]
    require(bool(LIST_NAME.fullmatch(name)), "A list's name is letters and digits.")
    require(slugify(name) not in robin.LIST_NAMES, "Robin has this list already.")
    return slugify(name), name


def mode_of(values: Values) -> str:
    """The way to travel that a blank names."""
    return known(MODE_NAMES, values["mode"], "way to travel")


def trip_of(values: Values) -> tuple[Place, Place, Route]:
    """Start, end and route that the blanks name."""
    start, end = place_of(values, "start"), place_of(values, "end")
    try:
        return start, end, plan_route(start, end, mode_of(values))
    except NoRoute as error:
        raise Infeasible(str(error)) from None


def near_rows(values: Values) -> list[Row]:
    """What the search for the category near the place shows."""
    place = place_of(values)
    category_of(values, data.TOWNS[place.town])
    found = find(near_query(values), "")
    return arrange(found.places, "nearest", None, found.distance)


def nearest_of(values: Values) -> Row:
    """The one nearest to the place."""
    rows = near_rows(values)
    require(_is_clear(rows), "Two places are equally near.")
    return rows[0]


def near_query(values: Values) -> str:
    """What to search for."""
    return f"{values['category']} near {values['place']}"


def best_of(values: Values, minutes: int | None = None) -> Place:
    """The best rated place of the category in the town, open at that time."""
    town = town_of(values)
    places = in_category(town, category_of(values, town))
    rows = arrange(places, "rating", minutes, None)
    require(bool(rows), "No such place is open then.")
    return rows[0].place


def town_query(values: Values) -> str:
    """What to search for."""
    return f"{values['category']} in {values['town']}"


def go_to(place: Place) -> list[Step]:
    """From any page to the place's."""
    return [Search(SEARCH_BOX, place.name), Click(place.name)]


def go_to_town(town: Town) -> list[Step]:
    """From any page to the town's."""
    return [Click("Towns"), Click(town.name)]


def go_to_category(values: Values) -> list[Step]:
    """From any page to the category of a town that the blanks name."""
    town = town_of(values)
    return [*go_to_town(town), Click(category_of(values, town))]


def go_to_note(place: Place) -> list[Step]:
    """To the note about a place: through the list of notes, or the place."""
    note = known(robin.NOTE_BY_PLACE, place.slug, "note about a place")
    turns = list(robin.NOTES).index(note.number) // PAGE_SIZE
    if turns > 1:
        return [*go_to(place), Click(f"Note {note.number}")]
    return [Click("Notes"), *[Click("Next page")] * turns, Click(place.name)]


def ask_way(start: Place, end: Place, mode: str = "car", leave: str = "") -> list[Step]:
    """From any page to the directions, with the tab of the way to travel."""
    steps: list[Step] = [Click("Directions")]
    steps += [Type("From", start.name), Type("To", end.name)]
    steps += [Type("Leave at", leave)] if leave else []
    return [*steps, Click("Get directions"), *choose_tab(mode)]


def choose_tab(mode: str) -> list[Step]:
    """The tab of the way to travel; the car's is open."""
    return [] if mode == robin.SETTINGS["mode"] else [Click(robin.MODES[mode])]


def _is_clear(rows: list[Row]) -> bool:
    return len(rows) > 1 and rows[0].metres != rows[1].metres
