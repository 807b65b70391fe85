"""What belongs to Robin: lists of places, notes on the map, settings."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from rollouts.sites.atlas import data, drawing, robin
from rollouts.sites.atlas.rendering import atlas_of, render
from rollouts.sites.atlas.robin import Note
from rollouts.sites.atlas.state import AtlasError
from rollouts.sites.kit.web import find_or_404, paginate, read_form, see_other

PLACES_ON_PAGE = 6


def _saved_page(request: Request, name: str = "", error: str = "") -> Response:
    atlas = atlas_of(request)
    counts = {slug: len(atlas.places(slug)) for slug in atlas.lists}
    return render(
        request,
        "saved.html",
        422 if error else 200,
        lists=atlas.lists,
        counts=counts,
        name=name,
        error=error,
    )


async def saved(request: Request) -> Response:
    """Robin's lists."""
    return _saved_page(request)


async def new_list(request: Request) -> Response:
    """Begin a list, then show all lists."""
    form = await read_form(request)
    name = form.get("name", "")[:100]
    try:
        atlas_of(request).add_list(name)
    except AtlasError as error:
        return _saved_page(request, name, str(error))
    return see_other("/saved")


def _list(request: Request) -> tuple[str, str]:
    """Slug and name of the list that the address names."""
    slug = request.path_params["slug"]
    return slug, find_or_404(atlas_of(request).lists, slug, "list")


async def one_list(request: Request) -> Response:
    """The places of a list."""
    slug, name = _list(request)
    page = paginate(request, atlas_of(request).places(slug), PLACES_ON_PAGE)
    return render(request, "list.html", slug=slug, name=name, page=page)


async def remove(request: Request) -> Response:
    """Take a place off a list."""
    slug, _ = _list(request)
    form = await read_form(request)
    place = find_or_404(data.PLACES, form.get("place", ""), "place")
    atlas_of(request).set_saved(slug, place, False)
    return see_other(f"/saved/{slug}")


async def delete_list(request: Request) -> Response:
    """Delete a list."""
    slug, _ = _list(request)
    atlas_of(request).delete_list(slug)
    return see_other("/saved")


async def notes(request: Request) -> Response:
    """What people say is wrong, newest first; or Robin's own reports."""
    atlas = atlas_of(request)
    is_own = request.query_params.get("show") == "mine"
    found = list(robin.NOTES.values())
    return render(
        request,
        "reports.html" if is_own else "notes.html",
        page=paginate(request, atlas.reports if is_own else found),
        places=data.PLACES,
        atlas=atlas,
    )


def _note(request: Request) -> Note:
    text = request.path_params["number"]
    notes = {str(number): note for number, note in robin.NOTES.items()}
    return find_or_404(notes, text, "note")


async def note(request: Request) -> Response:
    """One note."""
    found = _note(request)
    place = data.PLACES[found.place]
    town = data.TOWNS[place.town]
    view = drawing.View(place.point, drawing.WIDTHS[2])
    return render(
        request,
        "note.html",
        note=found,
        place=place,
        is_resolved=atlas_of(request).is_resolved(found),
        map=drawing.draw_town(town, view, [place]),
    )


async def resolve(request: Request) -> Response:
    """Mark a note as done, or open it again."""
    found, form = _note(request), await read_form(request)
    atlas_of(request).set_resolved(found, form.get("on") == "yes")
    return see_other(f"/note/{found.number}")


def _settings_page(request: Request, error: str = "") -> Response:
    settings = atlas_of(request).settings
    is_saved = request.query_params.get("saved") == "1"
    return render(
        request,
        "settings.html",
        422 if error else 200,
        settings=settings,
        is_saved=is_saved and not error,
        error=error,
    )


async def settings(request: Request) -> Response:
    """Robin's town and way to travel."""
    return _settings_page(request)


async def change_settings(request: Request) -> Response:
    """Save the settings."""
    form = await read_form(request)
    try:
        atlas_of(request).change_settings(form.get("town", ""), form.get("mode", ""))
    except AtlasError as error:
        return _settings_page(request, str(error))
    return see_other("/settings?saved=1")
