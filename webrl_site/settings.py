"""Every setting of the deployment, in sections, read from the environment.

The algorithm's numbers are not here: see `webrl_site.runs.config`. With nothing
set, everything runs on one machine without any server.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from webrl_site import api_settings
from webrl_site.env import MIN_TOKEN_LENGTH, Env, is_weak_secret, keep_secret
from webrl_site.env_checks import (
    check_hosts,
    check_resets,
    check_served_policies,
    parse_database,
)
from webrl_site.object_store_settings import S3, find_object_store
from webrl_site.private_files import keep_private

env = Env()

# Folders ---------------------------------------------------------------------
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.path("WEBRL_DATA_DIR", BASE_DIR / "var")
keep_private(DATA_DIR)
ARTIFACTS_DIR = DATA_DIR / "artifacts"
# Where workers write traces before they are stored among the artifacts.
TRACES_DIR = DATA_DIR / "traces"
CHECKPOINTS_DIR = DATA_DIR / "checkpoints"
# Pages that others have published, brought by `./webrl site add`.
SUITES_DIR = DATA_DIR / "suites"
# The docs as pages, built by `./webrl docs`.
DOCS_DIR = DATA_DIR / "docs"
# Where the machines of a lab keep pages and weights: a bucket, a folder, or nowhere.
S3_ACCESS_KEY = env.secret("S3_ACCESS_KEY")
S3_SECRET_KEY = env.secret("S3_SECRET_KEY")
OBJECT_STORE, STORAGES = find_object_store(env, S3_ACCESS_KEY, S3_SECRET_KEY)
if OBJECT_STORE and not OBJECT_STORE.startswith(S3):
    ARTIFACTS_DIR = Path(OBJECT_STORE) / "artifacts"
# Copies of weights that other machines have published there.
FETCHED_DIR = DATA_DIR / "fetched"
# Where the addresses of weights are looked up, in this order.
CHECKPOINT_ROOTS = [BASE_DIR / "models", CHECKPOINTS_DIR]

# Addresses -------------------------------------------------------------------
# Recorded pages are served from a separate origin, which gets no cookies.
DASHBOARD_URL = env.address("DASHBOARD_URL", "http://localhost:8000").rstrip("/")
REPLAY_ORIGIN = env.address("REPLAY_ORIGIN", "http://127.0.0.1:8001").rstrip("/")
SANDBOX_CONTROL_URL = env.address("SANDBOX_CONTROL_URL", "http://127.0.0.1:8011")
IS_LOCAL = urlsplit(DASHBOARD_URL).hostname in {"localhost", "127.0.0.1", "::1"}
# Traces and their viewer; "" if that origin is not served.
TRACE_ORIGIN = env.address(
    "TRACE_ORIGIN", "http://127.0.0.1:8002" if IS_LOCAL else ""
).rstrip("/")
IS_SECURE = DASHBOARD_URL.startswith("https://")
if urlsplit(DASHBOARD_URL).hostname == urlsplit(REPLAY_ORIGIN).hostname:
    # Another port is not enough: cookies ignore ports.
    raise ImproperlyConfigured("REPLAY_ORIGIN must be another host than DASHBOARD_URL.")
if urlsplit(TRACE_ORIGIN).hostname == urlsplit(DASHBOARD_URL).hostname:
    raise ImproperlyConfigured("TRACE_ORIGIN must be another host than DASHBOARD_URL.")
if TRACE_ORIGIN == REPLAY_ORIGIN:
    raise ImproperlyConfigured("TRACE_ORIGIN and REPLAY_ORIGIN must differ.")

# Security --------------------------------------------------------------------
DEBUG = env.flag("WEBRL_DEBUG")
if DEBUG and not IS_LOCAL:
    raise ImproperlyConfigured("WEBRL_DEBUG works on this machine only.")
SECRET_KEY = env.secret("SECRET_KEY")
if not SECRET_KEY:
    if not IS_LOCAL:
        raise ImproperlyConfigured("Set SECRET_KEY or SECRET_KEY_FILE.")
    SECRET_KEY = keep_secret(DATA_DIR / "secret_key")
OLD_SECRET_KEY = env.secret("OLD_SECRET_KEY")
SECRET_KEY_FALLBACKS = [OLD_SECRET_KEY] if OLD_SECRET_KEY else []
if not IS_LOCAL and any(map(is_weak_secret, [SECRET_KEY, *SECRET_KEY_FALLBACKS])):
    raise ImproperlyConfigured(
        "SECRET_KEY can be guessed: use at least 50 random characters."
    )
if not IS_LOCAL and not IS_SECURE and not env.flag("ALLOW_PLAIN_HTTP"):
    # Passwords and sessions would cross the network unencrypted.
    raise ImproperlyConfigured(
        "DASHBOARD_URL must be https outside this machine, or ALLOW_PLAIN_HTTP=yes."
    )
ALLOWED_HOSTS = [
    host
    for host in (
        urlsplit(url).hostname for url in (DASHBOARD_URL, REPLAY_ORIGIN, TRACE_ORIGIN)
    )
    if host
]
CSRF_TRUSTED_ORIGINS = [DASHBOARD_URL]
SESSION_COOKIE_SECURE = IS_SECURE
CSRF_COOKIE_SECURE = IS_SECURE
SECURE_SSL_REDIRECT = IS_SECURE
# Monitors ask the web process itself, without the proxy that ends TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 31_536_000 if IS_SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = IS_SECURE
SECURE_HSTS_PRELOAD = IS_SECURE
# Headers of a proxy are trusted only if the operator's settings say that one sets them.
BEHIND_PROXY = env.flag("BEHIND_PROXY")
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 2**20

# Application -----------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "channels",
    "curriculum",
    "rollouts",
    "training",
    "webrl_site",
    # Folders with commands of their own.
    "webrl_site.backup",
    "webrl_site.exports",
    "webrl_site.pretrained",
    "webrl_site.runs",
    "webrl_site.sites",
    "webrl_site.support",
]
MIDDLEWARE = [
    "webrl_site.server.middleware.RequestIdMiddleware",
    "webrl_site.metrics.http_times.RequestTimesMiddleware",
    "webrl_site.server.middleware.OneOriginMiddleware",
    "webrl_site.recorded.trace_viewer.TraceOriginMiddleware",
    "webrl_site.recorded.pages.ReplayOriginMiddleware",
    "webrl_site.server.middleware.SecurityHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "webrl_site.i18n.language.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "webrl_site.server.middleware.StorableTextMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "webrl_site.urls"
ASGI_APPLICATION = "webrl_site.asgi.application"
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]
# Columns that an index only carries along are for PostgreSQL; SQLite does without.
SILENCED_SYSTEM_CHECKS = ["models.W040"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Sign-in ---------------------------------------------------------------------
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
# Django's sessions in the database, read by a query that is composed once.
SESSION_ENGINE = "webrl_site.account.sessions"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_COOKIE_SAMESITE = "Lax"
# Cookies ignore ports: two workbenches on one host must not share a name.
SESSION_COOKIE_NAME = env.text("SESSION_COOKIE_NAME", "webrl_session")
CSRF_COOKIE_NAME = "webrl_csrf"
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

# Database --------------------------------------------------------------------
# SQLite: WAL alone makes locking worse, IMMEDIATE removes it; FULL keeps an
# acknowledged review through a power cut.
SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
        "PRAGMA foreign_keys=ON; PRAGMA busy_timeout=20000; "
        "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-32000;"
    ),
}
DATABASE_URL = env.secret("DATABASE_URL") or f"sqlite:///{DATA_DIR}/webrl.sqlite3"
# Threads that answer requests keep their connection; it is tried before its next use.
KEEP_CONNECTION_S = 60
DATABASES: dict[str, Any] = {
    "default": parse_database(DATABASE_URL, KEEP_CONNECTION_S),
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"] |= {"ENGINE": "webrl_site.sqlite", "OPTIONS": SQLITE_OPTIONS}

# Jobs ------------------------------------------------------------------------
# A message only wakes a worker: the work is in the rows.
BROKER_URL = env.secret("BROKER_URL") or "files://localhost/"
BROKER_DIR = DATA_DIR / "broker"
# Workers that wait for rollouts; each is woken when a stage begins.
ROLLOUT_WORKERS = env.integer("ROLLOUT_WORKERS", 1, low=1)
TRAINING_THREADS = env.integer("TRAINING_THREADS", 2, low=1)
# Seconds after which work without a heartbeat is given to another worker. The sweep
# may see the last one two seconds late, and the silence as late: ten in all.
LEASE_S = env.decimal("LEASE_S", 6.0, low=0.5)
# Seconds without progress after which a phase counts as stuck.
STUCK_AFTER_S = env.decimal("STUCK_AFTER_S", 600.0, low=10)
# Seconds without an action after which a person's browser is freed.
TAKEOVER_IDLE_S = env.decimal("TAKEOVER_IDLE_S", 600.0, low=5)
REVIEW_LEASE_S = env.decimal("REVIEW_LEASE_S", 300.0, low=5)

# Requests ------------------------------------------------------------------
# Processes that listen at the same addresses.
WEB_PROCESSES = env.integer("WEB_PROCESSES", 1, low=1)
# How many are at work at a time in a web process; others wait in line.
WEB_THREADS = env.integer("WEB_THREADS", 8, low=1)

# Live pages ------------------------------------------------------------------
CHANNEL_URL = env.secret("CHANNEL_URL")
CHANNEL_LAYERS: dict[str, Any] = {
    "default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}
}
if CHANNEL_URL:
    CHANNEL_LAYERS["default"] = {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [CHANNEL_URL], "prefix": "webrl"},
    }
TAIL_INTERVAL_S = 0.2

# Models and outside worlds, by dotted path -----------------------------------
ROLLOUT_POLICY = env.text("ROLLOUT_POLICY", "training.rl.local_policy.load_policy")
REWARD_MODEL = env.text(
    "REWARD_MODEL", "training.rl.orm.reward_model.load_reward_model"
)
VALUE_ESTIMATOR = env.text("VALUE_ESTIMATOR", "training.rl.critic.load_value_estimator")
PHASE_TRAINER = env.text("PHASE_TRAINER", "training.rl.launch.train_phase")
SFT_TRAINER = env.text("SFT_TRAINER", "training.rl.launch.train_sft")
ORM_TRAINER = env.text("ORM_TRAINER", "training.rl.launch.train_orm")
TASK_GENERATOR = env.text(
    "TASK_GENERATOR", "rollouts.sites.sandbox.generator.GrammarGenerator"
)
TASK_READER = env.text("TASK_READER", "rollouts.sites.sandbox.reading.read_task")
# The checkpoint of training.services.local_generator.open_local_generator.
GENERATOR_CHECKPOINT = env.text("GENERATOR_CHECKPOINT", "smollm2/base")
EPISODE_COLLECTOR = env.text(
    "EPISODE_COLLECTOR", "rollouts.collection.collector.Collector"
)
# Larger traces of an episode are dropped.
TRACE_MIB = env.integer("TRACE_MIB", 64, low=1)
# After how many days, or above how many GiB, evidence is removed; 0: never.
TRACE_DAYS = env.integer("TRACE_DAYS", 0, low=0)
TRACE_GIB = env.integer("TRACE_GIB", 0, low=0)
SCREENSHOT_DAYS = env.integer("SCREENSHOT_DAYS", 0, low=0)
SCREENSHOT_GIB = env.integer("SCREENSHOT_GIB", 0, low=0)
PAGE_DAYS = env.integer("PAGE_DAYS", 0, low=0)
PAGE_GIB = env.integer("PAGE_GIB", 0, low=0)
# With less free space, phases wait and claim nothing.
MIN_FREE_MIB = env.integer("MIN_FREE_MIB", 64, low=0)
BROWSER_EXECUTABLE = env.text("BROWSER_EXECUTABLE")
# MiB that a worker's browser, and one episode's page in it, may hold; 0 for any.
BROWSER_MEMORY_MIB = env.integer("BROWSER_MEMORY_MIB", 6144, low=0)
EPISODE_MEMORY_MIB = env.integer("EPISODE_MEMORY_MIB", 1536, low=0)
# How to sign in to sites outside the sandbox, as JSON; docs/operations.md.
SITE_SIGN_INS = env.sites("SITE_SIGN_INS")
# Shops' own interfaces that published evaluators ask, as JSON; docs/operations.md.
SITE_INTERFACES = env.sites("SITE_INTERFACES")
# Further hosts that their pages call, as JSON; docs/operations.md.
SITE_HOSTS = env.sites("SITE_HOSTS", check_hosts)
# How to put them back to their first state, as JSON; docs/operations.md.
SITE_RESETS = env.sites("SITE_RESETS", check_resets)
# Episodes in a row that a site breaks before it is closed to others.
SITE_CLOSES_AFTER = env.integer("SITE_CLOSES_AFTER", 5, low=1)
# Seconds that a closed site is left alone; twice as long each time in a row.
SITE_PAUSE_S = env.decimal("SITE_PAUSE_S", 30.0, low=1)
SITE_LONGEST_PAUSE_S = env.decimal("SITE_LONGEST_PAUSE_S", 900.0, low=1)
# An OpenAI-compatible endpoint, for a TASK_GENERATOR that needs one.
GENERATOR_URL = env.address("GENERATOR_URL")
GENERATOR_MODEL = env.text("GENERATOR_MODEL")
GENERATOR_API_KEY = env.secret("GENERATOR_API_KEY")
# The same for tasks whose evaluators compare meanings.
JUDGE_URL = env.address("JUDGE_URL")
JUDGE_MODEL = env.text("JUDGE_MODEL")
JUDGE_API_KEY = env.secret("JUDGE_API_KEY")
# The form of its requests: the task's rule set's, or always the same.
JUDGE_PROMPTS = env.choice(
    "JUDGE_PROMPTS", "RULE-SET", ("RULE-SET", "WORKBENCH", "WEBARENA", "WEBARENA-LITE")
)
# The Python that has the package webarena-verified; docs/task_files.md.
WEBARENA_VERIFIED_PYTHON = env.text("WEBARENA_VERIFIED_PYTHON")
# The key of a served policy goes to this address and to no other that a run names.
POLICY_URL = env.address("POLICY_URL")
POLICY_API_KEY = env.secret("POLICY_API_KEY")
# Servers of policies: their form of requests and how they get new weights, as JSON;
# docs/large_models.md.
SERVED_POLICIES = env.sites("SERVED_POLICIES", check_served_policies)
# VisualAgentBench's p_webrl_chat.json, for runs whose served model is told "vab".
VAB_PROMPT_FILE = env.text("VAB_PROMPT_FILE")

# Hosts on private addresses that policies named by users may be served from.
ALLOWED_PRIVATE_HOSTS = env.hosts("ALLOWED_PRIVATE_HOSTS")

# Monitoring ------------------------------------------------------------------
# Requests with it may read /metrics; without it that address does not exist.
METRICS_TOKEN = env.secret("METRICS_TOKEN")
if METRICS_TOKEN and len(METRICS_TOKEN) < MIN_TOKEN_LENGTH:
    raise ImproperlyConfigured(
        f"METRICS_TOKEN can be guessed: use at least {MIN_TOKEN_LENGTH} characters."
    )

# Notices ---------------------------------------------------------------------
# Where notices of finished, failed or stuck phases are sent.
# The path of a chat's webhook is a secret.
NOTICE_WEBHOOK_URL = env.address("NOTICE_WEBHOOK_URL", is_shown=False)
NOTICE_WEBHOOK_SECRET = env.secret("NOTICE_WEBHOOK_SECRET")
NOTICE_EMAIL_TO = env.mailboxes("NOTICE_EMAIL_TO")
EMAIL_HOST = env.text("EMAIL_HOST")
EMAIL_PORT = env.integer("EMAIL_PORT", 25, low=1)
EMAIL_HOST_USER = env.text("EMAIL_USER")
EMAIL_HOST_PASSWORD = env.secret("EMAIL_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "webrl@localhost")

# Static files ----------------------------------------------------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True

# API -------------------------------------------------------------------------
REST_FRAMEWORK = api_settings.REST_FRAMEWORK
SPECTACULAR_SETTINGS = api_settings.SPECTACULAR_SETTINGS

# Language, time and logs -----------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Chinese")), ("es", _("Spanish"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "webrl_language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = IS_SECURE
LANGUAGE_COOKIE_HTTPONLY = True
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.time_zone("TIME_ZONE", "UTC")
LOG_LEVEL = env.choice(
    "LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
)
# Lines for people, or one JSON object a line for programs.
LOG_FORMAT = env.choice("LOG_FORMAT", "TEXT", ("TEXT", "JSON"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {"()": "webrl_site.server.logs.JsonLines"},
    },
    "filters": {"without_sweep": {"()": "webrl_site.server.logs.WithoutSweep"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT.lower(),
            "filters": ["without_sweep"],
        }
    },
    # A line per request of the sandbox's control interface is too much.
    "loggers": {"httpx": {"level": "WARNING"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
}
