"""What the map's pages share: templates, filters, the episode's map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request

from rollouts.sites.atlas import data, robin
from rollouts.sites.atlas.data import Place, Town, format_coordinates
from rollouts.sites.atlas.directions import BY, format_distance
from rollouts.sites.atlas.drawing import draw_regions
from rollouts.sites.atlas.search import format_time
from rollouts.sites.atlas.state import Atlas
from rollouts.sites.kit.sites import ATLAS
from rollouts.sites.kit.vocabulary import slugify
from rollouts.sites.kit.web import Renderer, changes_of, find_or_404, new_environment

FOLDER = Path(__file__).parent
REGIONS = draw_regions()


def _shared(request: Request) -> dict[str, Any]:
    return {
        "site": ATLAS,
        "modes": robin.MODES,
        "by": BY,
        "towns": data.TOWNS,
        "regions": REGIONS,
    }


def _hours(place: Place) -> str:
    return f"{format_time(place.opens * 60)} to {format_time(place.closes * 60)}"


_environment = new_environment(FOLDER)
_environment.filters["slug"] = slugify
_environment.filters["metres"] = format_distance
_environment.filters["hours"] = _hours
_environment.filters["coordinates"] = lambda place: format_coordinates(
    place.town, place.point
)
render = Renderer(_environment, _shared)


def atlas_of(request: Request) -> Atlas:
    """The map as Robin sees it in this episode."""
    return Atlas(changes_of(request))


def place_of(request: Request) -> Place:
    """The place that the address names."""
    return find_or_404(data.PLACES, request.path_params["slug"], "place")


def town_of(request: Request) -> Town:
    """The town that the address names."""
    return find_or_404(data.TOWN_BY_SLUG, request.path_params["town"], "town")
