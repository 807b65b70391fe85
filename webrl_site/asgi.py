"""HTTP and websockets; a socket is opened by the dashboard's own pages only."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webrl_site.settings")

from django.core.asgi import get_asgi_application

# Sets Django up; everything below needs its models.
http = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import OriginValidator  # noqa: E402
from django.conf import settings  # noqa: E402
from django.urls import path  # noqa: E402

from curriculum.consumers import NewsConsumer  # noqa: E402
from rollouts.consumers import EpisodeConsumer  # noqa: E402

websockets = URLRouter(
    [
        path("ws/home/", NewsConsumer.as_asgi()),
        path("ws/phases/<int:phase_id>/", NewsConsumer.as_asgi()),
        path("ws/trajectories/<int:trajectory_id>/", EpisodeConsumer.as_asgi()),
    ]
)
application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": OriginValidator(
            AuthMiddlewareStack(websockets), [settings.DASHBOARD_URL]
        ),
    }
)
