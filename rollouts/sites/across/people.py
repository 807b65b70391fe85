"""Tasks about people who are on two sites."""

from __future__ import annotations

from random import Random

from rollouts.sites.atlas import data as atlas
from rollouts.sites.atlas import lookups as map_lookups
from rollouts.sites.backoffice import lookups as office
from rollouts.sites.forum import data as forum_data
from rollouts.sites.forum import lookups as forum
from rollouts.sites.kit.plans import Click, Search, Step, Switch, Type
from rollouts.sites.kit.sites import ATLAS, BACKOFFICE, FORUM, PROJECTS
from rollouts.sites.kit.task_templates import (
    Goal,
    Template,
    Values,
    change,
    find,
    known,
    navigate,
    require,
)
from rollouts.sites.kit.vocabulary import ME
from rollouts.sites.projects import data as projects_data
from rollouts.sites.projects import lookups as projects

_ISSUES = [issue for issue in projects_data.ISSUES.values() if issue.author != ME]


def _draw_post_and_issue(rng: Random) -> Values:
    return {**forum.draw_post(rng), **projects.draw_issue(rng)}


def _name_author(values: Values) -> Goal:
    post, issue = forum.post_of(values), projects.issue_of(values)
    text = forum.author_of(post).name
    state = {"comments": {str(issue.number): [text]}}
    look_up = [Switch(1), *forum.go_to(post), Switch(0)]
    write: list[Step] = [Type("Comment", text), Click("Send comment")]
    return change(PROJECTS, state, look_up, projects.go_to(issue), write)


def _open_author(values: Values) -> Goal:
    post = forum.post_of(values)
    author = forum.author_of(post)
    look_up = [Switch(1), *forum.go_to(post), Switch(0)]
    address = f"{PROJECTS.placeholder}/user/{author.slug}"
    return navigate(address, look_up, _find_person(author.name))


def _find_person(name: str) -> list[Step]:
    return [Search(projects.SEARCH_BOX, name), Click(name)]


def _draw_stranger(rng: Random) -> Values:
    posts = [
        post
        for post in forum.OTHERS
        if forum.author_of(post).slug not in projects_data.FOLLOWED
    ]
    return {"post": rng.choice(posts).title}


def _follow_author(values: Values) -> Goal:
    post = forum.post_of(values)
    author = forum.author_of(post)
    followed = author.slug in projects_data.FOLLOWED
    require(not followed, "Robin follows this person already.")
    look_up = [Switch(1), *forum.go_to(post), Switch(0)]
    way = [*_find_person(author.name), Click("Follow")]
    return change(PROJECTS, {"following": {author.slug: True}}, look_up, way)


def _draw_others_issue(rng: Random) -> Values:
    return {"issue": rng.choice(_ISSUES).title}


def _city_of_author(values: Values) -> Goal:
    issue = projects.issue_of(values)
    require(issue.author != ME, "Robin opened this issue.")
    author = forum_data.USER_BY_NAME[issue.author]
    return find(
        author.city, projects.go_to(issue), Switch(1), forum.go_to_person(author)
    )


def _open_town(name: str, *look_up: Step) -> Goal:
    """Find out a town's name in the second tab, and open it on the map."""
    town = known(atlas.TOWNS, name, "town")
    address = f"{ATLAS.placeholder}/town/{town.slug}"
    way = [Switch(1), *look_up, Switch(0), *map_lookups.go_to_town(town)]
    return navigate(address, way)


def _town_of_author(values: Values) -> Goal:
    post = forum.post_of(values)
    author = forum.author_of(post)
    return _open_town(author.city, *forum.go_to(post), Click(author.name))


def _town_of_customer(values: Values) -> Goal:
    customer = office.customer_of(values)
    return _open_town(customer.city, *office.go_to(customer))


def _town_of_member(values: Values) -> Goal:
    person = projects.person_of(values)
    return _open_town(person.city, *projects.go_to_person(person))


PEOPLE_TEMPLATES = (
    Template(
        "across.name_author",
        PROJECTS,
        "change",
        (
            'Who wrote "{{post}}" on Harbor Talk? Comment just that name on '
            'the issue "{{issue}}" of Birch Works.',
            'On Birch Works, comment on the issue "{{issue}}" with the name of the '
            'author of the Harbor Talk post "{{post}}", and nothing else.',
            'Look up the author of "{{post}}" on Harbor Talk and write only the name '
            'as a comment under the issue "{{issue}}".',
        ),
        _draw_post_and_issue,
        _name_author,
        others=(FORUM,),
    ),
    Template(
        "across.open_author",
        PROJECTS,
        "navigate",
        (
            'Open the Birch Works profile of the author of "{{post}}" on Harbor Talk.',
            'Somebody wrote "{{post}}" on Harbor Talk; show me that person\'s profile '
            "on Birch Works.",
            'Find out who posted "{{post}}" on Harbor Talk and go to their page on '
            "Birch Works.",
        ),
        forum.draw_post,
        _open_author,
        others=(FORUM,),
    ),
    Template(
        "across.follow_author",
        PROJECTS,
        "change",
        (
            'Follow the author of the Harbor Talk post "{{post}}" on Birch Works.',
            'On Birch Works, follow whoever wrote "{{post}}" on Harbor Talk.',
            'I liked "{{post}}" on Harbor Talk. Follow its author on Birch Works.',
        ),
        _draw_stranger,
        _follow_author,
        is_held_out=True,
        others=(FORUM,),
    ),
    Template(
        "across.city_of_author",
        PROJECTS,
        "find",
        (
            'Who opened the issue "{{issue}}" on Birch Works? Tell me in which city '
            "that person lives according to Harbor Talk.",
            "According to Harbor Talk, in which city does the author of the Birch "
            'Works issue "{{issue}}" live?',
            'Look up on Harbor Talk where the author of the issue "{{issue}}" lives. '
            "Answer with the city.",
        ),
        _draw_others_issue,
        _city_of_author,
        others=(FORUM,),
    ),
    Template(
        "across.town_of_author",
        ATLAS,
        "navigate",
        (
            "Show on the map the town in which the author of the Harbor Talk post "
            '"{{post}}" lives.',
            'Open the map\'s page of the city where the writer of "{{post}}" on '
            "Harbor Talk lives.",
            'Where does the author of "{{post}}" on Harbor Talk live? Open that town '
            "in Compass Atlas.",
        ),
        forum.draw_post,
        _town_of_author,
        others=(FORUM,),
    ),
    Template(
        "across.town_of_customer",
        ATLAS,
        "navigate",
        (
            "Open in Compass Atlas the town of the back office's customer "
            "{{customer}}.",
            "Where does our customer {{customer}} live? Show me the town on the map.",
            "Look up the city of {{customer}} in the back office and open its page on "
            "the map.",
        ),
        office.draw_customer,
        _town_of_customer,
        others=(BACKOFFICE,),
    ),
    Template(
        "across.town_of_member",
        ATLAS,
        "navigate",
        (
            "Open in Compass Atlas the town in which {{person}} of Birch Works lives.",
            "Birch Works says where {{person}} lives. Show me that town on the map.",
            "Look up the city of {{person}} on Birch Works and open its page on the "
            "map.",
        ),
        projects.draw_person,
        _town_of_member,
        others=(PROJECTS,),
    ),
)
