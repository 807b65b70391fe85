"""The host's initial state: generated once, never changed."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Iterator

from rollouts.sites.kit.vocabulary import CITIES, DATA_SEED, ME, PEOPLE, slugify, words
from rollouts.sites.projects.records import (
    DAYS,
    Comment,
    Commit,
    Group,
    Issue,
    MergeRequest,
    Person,
    Project,
    Todo,
)

FIRST_WORDS = words(
    "Acorn Delta Ember Falcon Harbor Juniper Lotus Meadow Nova Orchid Raven Summit"
)
TOOLS = words(
    "Editor Player Planner Parser Server Viewer Tracker Wallet Reader Mailer Painter "
    "Teacher"
)
PROJECT_COUNT = 60
OWN_COUNT = 8
JOINED_COUNT = 10
GROUP_NAMES = words("River Forest Mountain Island Castle Garden Valley Bridge")
LANGUAGES = words("Python Java Rust Ruby Swift Kotlin")
LICENCES = words("MIT Apache BSD GPL")
QUALITIES = words("small fast simple free quiet strong modern friendly")
AUDIENCES = words("teams schools families doctors artists students shops museums")
ROLES = ("Guest", "Reporter", "Developer", "Maintainer")
OWNER = "Owner"
VISIBILITIES = ("Public", "Private")

# An issue is called "Broken login page", a merge request "Fix login page".
PROBLEMS = words(
    "Broken Slow Missing Wrong Empty Small Old Strange Hidden Late Double Lost"
)
VERBS = words("Fix Add Remove Rename Test Move")
PARTS = words(
    "login menu upload export print theme profile message map table photo video chart "
    "account"
)
THINGS = words("page button form error text icon list test")
LABELS = words("bug design docs feature question security test urgent")
MILESTONES = words("Spring Summer Autumn Winter")
SYSTEMS = words("Linux Windows Android Firefox Chrome Safari")
BODIES = (
    "It happens every time.",
    "It took me a day to find this.",
    "My team asks for this every week.",
    "I wrote down all I know.",
)
REMARKS = (
    "I agree with you.",
    "Thank you for this.",
    "This did not work for me.",
    "Can you say more?",
    "I will look at it this week.",
    "My team says the same.",
)
AVAILABILITIES = ("Available", "Busy")
STATUSES = (
    "Working from home",
    "In a meeting",
    "On holiday",
    "Out for lunch",
    "Writing tests",
    "Reading issues",
)
MY_STATUS = "Drinking tea"
FIRST_ISSUE = 1001
FIRST_MERGE_REQUEST = 4001
FIRST_NEW_ISSUE = 9001
WAITING_COUNT = 14
STARRED_COUNT = 9
FOLLOWED_COUNT = 6


def _people(rng: random.Random) -> Iterator[Person]:
    for name in PEOPLE:
        status = rng.choice(STATUSES)
        joined = rng.randint(2012, 2023)
        yield Person(slugify(name), name, rng.choice(CITIES), joined, status)
    yield Person(slugify(ME), ME, "London", 2019, MY_STATUS)


def _members(rng: random.Random, my_role: str) -> dict[str, str]:
    """Roles by slug: the owner first, then six or seven others, Robin's if any."""
    names = rng.sample(PEOPLE, rng.randint(6, 7))
    roles = [rng.choice(ROLES) for _ in names]
    if my_role == OWNER:
        names, roles = [ME, *names], [OWNER, *roles]
    else:
        roles[0] = OWNER
    if my_role and my_role != OWNER:
        names, roles = [*names[:6], ME], [*roles[:6], my_role]
    return {slugify(name): role for name, role in zip(names, roles, strict=True)}


def _projects(rng: random.Random) -> Iterator[Project]:
    names = [(first, tool) for first in FIRST_WORDS for tool in TOOLS]
    stars = rng.sample(range(10, 900), PROJECT_COUNT)
    ports = rng.sample(range(3000, 9000), PROJECT_COUNT)
    updated = rng.sample(range(DAYS // 2, DAYS), PROJECT_COUNT)
    mine = [OWNER] * OWN_COUNT + ["Developer"] * JOINED_COUNT
    for index, (first, tool) in enumerate(rng.sample(names, PROJECT_COUNT)):
        members = _members(rng, mine[index] if index < len(mine) else "")
        quality, audience = rng.choice(QUALITIES), rng.choice(AUDIENCES)
        slug = slugify(f"{first} {tool}")
        yield Project(
            slug=slug,
            name=f"{first} {tool}",
            group=slugify(GROUP_NAMES[index % len(GROUP_NAMES)]),
            description=f"A {quality} {tool.lower()} for {audience}",
            language=LANGUAGES[index % len(LANGUAGES)],
            licence=rng.choice(LICENCES),
            port=ports[index],
            stars=stars[index],
            forks=rng.randint(2, 60),
            updated=updated[index],
            members=members,
            origin=slug,
            guide_author=rng.choice(PEOPLE),
        )


def _titles(rng: random.Random, first_words: list[str]) -> Iterator[str]:
    titles = [
        " ".join(three) for three in itertools.product(first_words, PARTS, THINGS)
    ]
    rng.shuffle(titles)
    return iter(titles)


def _comments(rng: random.Random, author: str, opening: str) -> tuple[Comment, ...]:
    """Up to four remarks by others; the first begins so and names a system."""
    count = rng.randint(1, 4)
    authors = rng.sample([name for name in PEOPLE if name != author], count)
    system = rng.choice(SYSTEMS)
    first = Comment(authors[0], f"{opening} {system}.", system)
    texts = rng.sample(REMARKS, count - 1)
    return (first, *map(Comment, authors[1:], texts))


def _names_of(project: Project) -> list[str]:
    return [PERSON_NAMES[slug] for slug in project.members if slug != slugify(ME)]


def _issues(
    rng: random.Random, project: Project, titles: Iterator[str]
) -> Iterator[Issue]:
    open_count, closed_count = rng.randint(8, 11), rng.randint(3, 6)
    states = ["open"] * open_count + ["closed"] * closed_count
    authors = rng.sample(PEOPLE, 4)
    helpers = [slugify(name) for name in _names_of(project)]
    for state, day in zip(states, rng.sample(range(DAYS), len(states)), strict=True):
        author = rng.choice(authors)
        yield Issue(
            number=0,
            title=next(titles),
            project=project.slug,
            author=author,
            day=day,
            text=rng.choice(BODIES),
            state=state,
            labels=tuple(sorted(rng.sample(LABELS, rng.randint(1, 2)))),
            assignee=rng.choice(helpers),
            milestone=rng.choice(MILESTONES),
            comments=_comments(rng, author, "I see this on"),
        )


def _merge_requests(
    rng: random.Random, project: Project, titles: Iterator[str]
) -> Iterator[MergeRequest]:
    states = ["open"] * rng.randint(3, 5) + ["merged"] * rng.randint(1, 3) + ["closed"]
    names = _names_of(project)
    for state, day in zip(states, rng.sample(range(DAYS), len(states)), strict=True):
        author, reviewer = rng.sample(names, 2)
        yield MergeRequest(
            number=0,
            title=next(titles),
            project=project.slug,
            author=author,
            reviewer=reviewer,
            day=day,
            text=rng.choice(BODIES),
            state=state,
            has_conflicts=state == "open" and rng.random() < 0.25,
            approvals=rng.randint(0, 3),
            comments=_comments(rng, author, "I tested it on"),
        )


def _commits(rng: random.Random, project: Project) -> list[Commit]:
    authors = rng.sample(_names_of(project), 4)
    count = rng.randint(14, 20)
    days = sorted(rng.sample(range(DAYS), count), reverse=True)
    titles = [f"{v} {p} {t}" for v in VERBS for p in PARTS for t in THINGS]
    chosen = rng.sample(titles, count)
    return [
        Commit(f"{rng.randrange(16**6):06x}", title, rng.choice(authors), day)
        for title, day in zip(chosen, days, strict=True)
    ]


def _assign_to_me(rng: random.Random) -> Iterator[Todo]:
    """Give Robin issues and merge requests of projects that Robin has joined."""
    mine = {slug for slug, p in PROJECTS.items() if slugify(ME) in p.members}
    issues = [n for n, i in ISSUES.items() if i.project in mine and i.state == "open"]
    merges = [
        n
        for n, m in MERGE_REQUESTS.items()
        if m.project in mine and m.state == "open" and not m.has_conflicts
    ]
    chosen = rng.sample(issues, WAITING_COUNT // 2) + rng.sample(
        merges, WAITING_COUNT // 2
    )
    rng.shuffle(chosen)
    for number in chosen:
        if number in ISSUES:
            issue = dataclasses.replace(ISSUES[number], assignee=slugify(ME))
            ISSUES[number] = issue
            yield Todo(number, issue.author)
        else:
            merge = dataclasses.replace(MERGE_REQUESTS[number], reviewer=ME)
            MERGE_REQUESTS[number] = merge
            yield Todo(number, merge.author)


def _numbered_issues(rng: random.Random) -> Iterator[Issue]:
    titles = _titles(rng, PROBLEMS)
    found = [i for p in PROJECTS.values() for i in _issues(rng, p, titles)]
    for number, issue in enumerate(sorted(found, key=lambda i: i.day), FIRST_ISSUE):
        yield dataclasses.replace(issue, number=number)


def _numbered_merge_requests(rng: random.Random) -> Iterator[MergeRequest]:
    titles = _titles(rng, VERBS)
    found = [m for p in PROJECTS.values() for m in _merge_requests(rng, p, titles)]
    found.sort(key=lambda merge: merge.day)
    for number, merge in enumerate(found, FIRST_MERGE_REQUEST):
        yield dataclasses.replace(merge, number=number)


def _build() -> None:
    rng = random.Random(DATA_SEED + 2)
    USERS.update({person.slug: person for person in _people(rng)})
    PERSON_NAMES.update({slug: person.name for slug, person in USERS.items()})
    PROJECTS.update({project.slug: project for project in _projects(rng)})
    ISSUES.update({issue.number: issue for issue in _numbered_issues(rng)})
    merges = _numbered_merge_requests(rng)
    MERGE_REQUESTS.update({merge.number: merge for merge in merges})
    COMMITS.update({p.slug: _commits(rng, p) for p in PROJECTS.values()})
    WAITING.update({todo.number: todo for todo in _assign_to_me(rng)})
    others = [p.slug for p in PROJECTS.values() if slugify(ME) not in p.members]
    STARRED.extend(rng.sample(others, STARRED_COUNT))
    FOLLOWED.extend(slugify(name) for name in rng.sample(PEOPLE, FOLLOWED_COUNT))


GROUPS = {slugify(name): Group(slugify(name), f"{name} Team") for name in GROUP_NAMES}
USERS: dict[str, Person] = {}
PERSON_NAMES: dict[str, str] = {}
PROJECTS: dict[str, Project] = {}
ISSUES: dict[int, Issue] = {}
MERGE_REQUESTS: dict[int, MergeRequest] = {}
COMMITS: dict[str, list[Commit]] = {}
WAITING: dict[int, Todo] = {}
STARRED: list[str] = []
FOLLOWED: list[str] = []
_build()
PROJECT_BY_NAME = {project.name: project for project in PROJECTS.values()}
USER_BY_NAME = {person.name: person for person in USERS.values()}
ISSUE_BY_TITLE = {issue.title: issue for issue in ISSUES.values()}
MERGE_BY_TITLE = {merge.title: merge for merge in MERGE_REQUESTS.values()}
