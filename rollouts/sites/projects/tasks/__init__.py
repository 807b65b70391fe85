"""All task templates of the project host."""

from __future__ import annotations

from rollouts.sites.projects.tasks.find import FIND_TEMPLATES
from rollouts.sites.projects.tasks.impossible import IMPOSSIBLE_TEMPLATES
from rollouts.sites.projects.tasks.issue import ISSUE_TEMPLATES
from rollouts.sites.projects.tasks.item_find import ITEM_FIND_TEMPLATES
from rollouts.sites.projects.tasks.navigate import NAVIGATE_TEMPLATES
from rollouts.sites.projects.tasks.people import PEOPLE_TEMPLATES
from rollouts.sites.projects.tasks.project import PROJECT_TEMPLATES
from rollouts.sites.projects.tasks.work import WORK_TEMPLATES

PROJECTS_TEMPLATES = (
    *FIND_TEMPLATES,
    *ITEM_FIND_TEMPLATES,
    *NAVIGATE_TEMPLATES,
    *PROJECT_TEMPLATES,
    *PEOPLE_TEMPLATES,
    *ISSUE_TEMPLATES,
    *WORK_TEMPLATES,
    *IMPOSSIBLE_TEMPLATES,
)
