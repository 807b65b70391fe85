"""REST: read sites, tasks, reviews, runs, phases and their events."""

from __future__ import annotations

from django.db.models import QuerySet

from curriculum.api.filters import Filters
from curriculum.api.permissions import CanRead, CanReadRuns
from curriculum.api.read_views import ReadViewSet
from curriculum.api.serializers import (
    EventSerializer,
    PhaseSerializer,
    ReviewSerializer,
    RunSerializer,
    SiteSerializer,
    TaskSerializer,
)
from curriculum.forms import (
    EventFilterForm,
    PhaseFilterForm,
    ReviewFilterForm,
    TaskFilterForm,
)
from curriculum.models import Phase, PhaseEvent, Review, Run, Site, Task
from curriculum.selectors import resources
from curriculum.selectors.pages import list_runs
from curriculum.selectors.reviewing.opinions import list_reviews, list_tasks


class SiteViewSet(ReadViewSet[Site]):
    """Sites, and how many accepted tasks each has."""

    permission_classes = [CanRead]
    serializer_class = SiteSerializer
    queryset = Site.objects.none()
    paging_key = "id"

    def select(self, filters: Filters) -> QuerySet[Site]:
        return resources.count_tasks_of_sites()


class TaskViewSet(ReadViewSet[Task]):
    """Tasks, newest first; filter with the curriculum page's own parameters."""

    permission_classes = [CanRead]
    serializer_class = TaskSerializer
    queryset = Task.objects.none()
    filter_form = TaskFilterForm

    def select(self, filters: Filters) -> QuerySet[Task]:
        return list_tasks(reader=self.request.user, **filters)


class ReviewViewSet(ReadViewSet[Review]):
    """Decisions about evolved tasks, newest first, undone ones included."""

    permission_classes = [CanRead]
    serializer_class = ReviewSerializer
    queryset = Review.objects.none()
    filter_form = ReviewFilterForm

    def select(self, filters: Filters) -> QuerySet[Review]:
        return list_reviews(reader=self.request.user, **filters)


class RunViewSet(ReadViewSet[Run]):
    """Runs, newest first."""

    permission_classes = [CanReadRuns]
    serializer_class = RunSerializer
    queryset = Run.objects.none()

    def select(self, filters: Filters) -> QuerySet[Run]:
        return list_runs()


class PhaseViewSet(ReadViewSet[Phase]):
    """Phases, newest first."""

    permission_classes = [CanReadRuns]
    serializer_class = PhaseSerializer
    queryset = Phase.objects.none()
    filter_form = PhaseFilterForm

    def select(self, filters: Filters) -> QuerySet[Phase]:
        return resources.filter_phases(**filters)


class EventViewSet(ReadViewSet[PhaseEvent]):
    """What happened to phases, oldest first; `after` waits for news."""

    permission_classes = [CanReadRuns]
    serializer_class = EventSerializer
    queryset = PhaseEvent.objects.none()
    filter_form = EventFilterForm
    paging_key = "id"

    def select(self, filters: Filters) -> QuerySet[PhaseEvent]:
        return resources.filter_events(**filters)
