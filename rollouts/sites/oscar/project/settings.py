"""Settings of the shop. The database is chosen for each request: see `episode.py`."""

from __future__ import annotations

import os
from pathlib import Path

from oscar.defaults import *  # noqa: F403 (Oscar's way of giving its defaults)

from rollouts.sites.oscar.names import TEMPLATE
from rollouts.sites.oscar.project.start import VARIABLE

FOLDER = Path(os.environ[VARIABLE])

# It protects nothing: a process that reaches the socket can read the databases as well,
# and every episode is discarded.
SECRET_KEY = "the-same-for-every-throwaway-episode"  # noqa: S105
DEBUG = False
ALLOWED_HOSTS = [".localhost"]
ROOT_URLCONF = "rollouts.sites.oscar.project.urls"
SITE_ID = 1
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
LANGUAGE_CODE = "en-gb"
LANGUAGES = [("en-gb", "English")]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.sites",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.flatpages",
    "oscar.config.Shop",
    "oscar.apps.analytics.apps.AnalyticsConfig",
    "oscar.apps.checkout.apps.CheckoutConfig",
    "oscar.apps.address.apps.AddressConfig",
    "oscar.apps.shipping.apps.ShippingConfig",
    "oscar.apps.catalogue.apps.CatalogueConfig",
    "oscar.apps.catalogue.reviews.apps.CatalogueReviewsConfig",
    "oscar.apps.communication.apps.CommunicationConfig",
    "oscar.apps.partner.apps.PartnerConfig",
    "oscar.apps.basket.apps.BasketConfig",
    "oscar.apps.payment.apps.PaymentConfig",
    "oscar.apps.offer.apps.OfferConfig",
    "oscar.apps.order.apps.OrderConfig",
    "oscar.apps.customer.apps.CustomerConfig",
    "oscar.apps.search.apps.SearchConfig",
    "oscar.apps.voucher.apps.VoucherConfig",
    "oscar.apps.wishlists.apps.WishlistsConfig",
    "oscar.apps.dashboard.apps.DashboardConfig",
    "oscar.apps.dashboard.reports.apps.ReportsDashboardConfig",
    "oscar.apps.dashboard.users.apps.UsersDashboardConfig",
    "oscar.apps.dashboard.orders.apps.OrdersDashboardConfig",
    "oscar.apps.dashboard.catalogue.apps.CatalogueDashboardConfig",
    "oscar.apps.dashboard.offers.apps.OffersDashboardConfig",
    "oscar.apps.dashboard.partners.apps.PartnersDashboardConfig",
    "oscar.apps.dashboard.pages.apps.PagesDashboardConfig",
    "oscar.apps.dashboard.ranges.apps.RangesDashboardConfig",
    "oscar.apps.dashboard.reviews.apps.ReviewsDashboardConfig",
    "oscar.apps.dashboard.vouchers.apps.VouchersDashboardConfig",
    "oscar.apps.dashboard.communications.apps.CommunicationsDashboardConfig",
    "oscar.apps.dashboard.shipping.apps.ShippingDashboardConfig",
    "widget_tweaks",
    "haystack",
    "treebeard",
    "django_tables2",
]

MIDDLEWARE = [
    "rollouts.sites.oscar.project.episode.EpisodeMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.i18n",
                "django.contrib.messages.context_processors.messages",
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.apps.communication.notifications.context_processors.notifications",
                "oscar.core.context_processors.metadata",
            ]
        },
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": FOLDER / TEMPLATE,
        "ATOMIC_REQUESTS": True,
        "OPTIONS": {
            # An episode that two tabs change waits instead of failing.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # A copy is discarded after minutes, so it need not survive a power cut.
            "init_command": "PRAGMA synchronous=OFF; PRAGMA journal_mode=TRUNCATE;",
        },
    }
}


class _NoMigrations(dict[str, None]):
    """The tables are made as they are now; their history takes ten seconds."""

    def __contains__(self, app: object) -> bool:
        return True

    def __missing__(self, app: str) -> None:
        return None


MIGRATION_MODULES = _NoMigrations()
# Tracebacks go to the process's log; missing pages are not logged.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "ERROR"},
}
# What one episode has seen must not be shown to another.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
AUTHENTICATION_BACKENDS = [
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
]
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
HAYSTACK_CONNECTIONS = {
    "default": {
        "ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
        "PATH": str(FOLDER / "index"),
        "INCLUDE_SPELLING": False,
    }
}

# The index is built once and shared: no episode may write to it.
HAYSTACK_SIGNAL_PROCESSOR = "haystack.signals.BaseSignalProcessor"

STATIC_URL, STATIC_ROOT = "/static/", FOLDER / "static"
MEDIA_URL, MEDIA_ROOT = "/media/", FOLDER / "media"

OSCAR_SHOP_NAME = "Page & Spine"
OSCAR_SHOP_TAGLINE = "books"
OSCAR_THUMBNAILER = "rollouts.sites.oscar.project.pictures.AsTheyAre"
OSCAR_PRODUCTS_PER_PAGE = 12
OSCAR_EAGER_ALERTS = False
# Whoosh counts no facets.
OSCAR_SEARCH_FACETS: dict[str, dict[str, object]] = {"fields": {}, "queries": {}}
