"""HTTP and websockets; only the dashboard's own pages may open a socket."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")

import django

# Sets Django up; everything below needs its models.
django.setup(set_prefix=False)

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import path  # noqa: E402

from curriculum.consumers import NewsConsumer  # noqa: E402
from rollouts.live.consumers import EpisodeConsumer  # noqa: E402
from webrl_site.account.body_sizes import find_limit  # noqa: E402
from webrl_site.server.sockets import OwnOrigin, SafeRouter  # noqa: E402
from webrl_site.server.threaded_asgi import ThreadedHandler  # noqa: E402

websockets = SafeRouter(
    [
        path("ws/home/", NewsConsumer.as_asgi()),
        path("ws/phases/<int:phase_id>/", NewsConsumer.as_asgi()),
        path("ws/trajectories/<int:trajectory_id>/", EpisodeConsumer.as_asgi()),
    ]
)
application = ProtocolTypeRouter(
    {
        "http": ThreadedHandler(settings.WEB_THREADS, find_limit),
        "websocket": OwnOrigin(
            AuthMiddlewareStack(websockets), [settings.DASHBOARD_URL]
        ),
    }
)
