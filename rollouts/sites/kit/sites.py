"""Names of the sandbox's sites: all that the rest of the project uses of them."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Site:
    """One sandbox site.

    Attributes:
        key: Short name, also the first label of its host name.
        name: What its pages call it.
        description: One sentence for people who choose tasks.
        placeholder: Used for its origin in task files.
    """

    key: str
    name: str
    description: str
    placeholder: str


SHOP = Site(
    key="shop",
    name="Maple Shop",
    description="A household shop: search, categories, cart, checkout and orders.",
    placeholder="__SHOP__",
)
FORUM = Site(
    key="forum",
    name="Harbor Talk",
    description="A discussion board: forums, posts, votes, comments and messages.",
    placeholder="__FORUM__",
)
PROJECTS = Site(
    key="projects",
    name="Birch Works",
    description="A project host: issues, merge requests, files, members and stars.",
    placeholder="__PROJECTS__",
)
ATLAS = Site(
    key="atlas",
    name="Compass Atlas",
    description="A map: places, directions, lists, saved routes, notes and reviews.",
    placeholder="__ATLAS__",
)
BACKOFFICE = Site(
    key="backoffice",
    name="Maple Back Office",
    description="A shop's administration: orders, products, customers and reports.",
    placeholder="__BACKOFFICE__",
)
SITES: tuple[Site, ...] = (SHOP, FORUM, BACKOFFICE, PROJECTS, ATLAS)
# Not ours: its pages exist once `./webrl site add miniwob` has been run.
MINIWOB = Site(
    key="miniwob",
    name="MiniWoB++",
    description="130 small pages that set their own goals and reward themselves.",
    placeholder="__MINIWOB__",
)

# Not ours either: a separate application, installed by `./webrl site add oscar`.
OSCAR = Site(
    key="oscar",
    name="Page & Spine",
    description="A book shop run by django-oscar, unmodified: another team's pages.",
    placeholder="__OSCAR__",
)
ADDABLE: tuple[Site, ...] = (MINIWOB, OSCAR)
