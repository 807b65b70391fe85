"""All task templates of the project host."""

from __future__ import annotations

from rollouts.sandbox.projects.find_tasks import FIND_TEMPLATES
from rollouts.sandbox.projects.impossible_tasks import IMPOSSIBLE_TEMPLATES
from rollouts.sandbox.projects.issue_tasks import ISSUE_TEMPLATES
from rollouts.sandbox.projects.item_find_tasks import ITEM_FIND_TEMPLATES
from rollouts.sandbox.projects.navigate_tasks import NAVIGATE_TEMPLATES
from rollouts.sandbox.projects.people_tasks import PEOPLE_TEMPLATES
from rollouts.sandbox.projects.project_tasks import PROJECT_TEMPLATES
from rollouts.sandbox.projects.work_tasks import WORK_TEMPLATES

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
