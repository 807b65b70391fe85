"""All task templates of the forum."""

from __future__ import annotations

from rollouts.sites.forum.tasks.find import FIND_TEMPLATES
from rollouts.sites.forum.tasks.navigate import NAVIGATE_TEMPLATES
from rollouts.sites.forum.tasks.people import PEOPLE_TEMPLATES
from rollouts.sites.forum.tasks.post import POST_TEMPLATES

FORUM_TEMPLATES = (
    *FIND_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *POST_TEMPLATES,
    *PEOPLE_TEMPLATES,
)
