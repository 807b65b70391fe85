"""All task templates of the forum."""

from __future__ import annotations

from rollouts.sandbox.forum.find_tasks import FIND_TEMPLATES
from rollouts.sandbox.forum.navigate_tasks import NAVIGATE_TEMPLATES
from rollouts.sandbox.forum.people_tasks import PEOPLE_TEMPLATES
from rollouts.sandbox.forum.post_tasks import POST_TEMPLATES

FORUM_TEMPLATES = (
    *FIND_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *POST_TEMPLATES,
    *PEOPLE_TEMPLATES,
)
