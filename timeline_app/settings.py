"""Settings, all from the environment; docs/settings.md explains each variable.

A malformed value or an unknown TIMELINE_* variable refuses to start and says which.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from timeline_app.connectors.egress.reaches import Reaches, parse_reaches
from timeline_app.fs.paths import Place, assign_server
from timeline_app.operators.imported import parse_folders
from timeline_app.private_files import (
    FILES,
    GROUP,
    PRIVATE,
    SPARK_TOKEN,
    close_folder,
    load_secret,
    set_umask,
)
from timeline_app.quotas import parse_quotas
from timeline_app.variables import (
    SQLITE,
    format_celery_broker,
    make_address_parser,
    make_choice_parser,
    make_whole_parser,
    mask_value,
    parse_buckets,
    parse_data_place,
    parse_database,
    parse_directory,
    parse_flag,
    parse_hosts,
    parse_interval,
    parse_mail_address,
    parse_mail_server,
    parse_namenodes,
    parse_proxies,
    parse_secret,
    parse_subdirectory,
    parse_token,
    parse_window,
)
from timeline_app.web.ops import logs

ROOT = Path(__file__).resolve().parent.parent

VARIABLES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "TIMELINE_DATA": (str(ROOT / "var"), parse_data_place),
    "TIMELINE_LOCAL": ("", parse_subdirectory),
    "TIMELINE_WEBHDFS": ("", parse_namenodes),
    "DATABASE_URL": ("", parse_database),
    "REDIS_URL": ("redis://127.0.0.1:6379/0", make_address_parser("redis", "rediss", "unix")),
    "SPARK_REMOTE": ("sc://127.0.0.1:15002", make_address_parser("sc")),
    SPARK_TOKEN: ("", parse_token),
    "TIMELINE_SECRET_KEY": ("", parse_secret),
    "TIMELINE_DEBUG": ("0", parse_flag),
    "TIMELINE_ALLOWED_HOSTS": ("127.0.0.1,localhost", parse_hosts),
    "TIMELINE_HTTPS": ("0", parse_flag),
    "TIMELINE_DEMO": ("0", parse_flag),
    "TIMELINE_TRIGGER_INTERVAL": ("750ms", parse_interval),
    "TIMELINE_BUCKETS": ("", parse_buckets),
    "TIMELINE_LOG_WINDOW": ("7d", parse_window),
    "TIMELINE_MAX_IN_FLIGHT_MIB": ("64", make_whole_parser(2**20)),
    "TIMELINE_MAX_BACKLOG_EVENTS": ("20000000", make_whole_parser()),
    "TIMELINE_DISK_RESERVE_MIB": ("1024", make_whole_parser(2**20)),
    "TIMELINE_TRASH_RETENTION": ("1d", parse_window),
    "TIMELINE_UNUSED_NODE_RETENTION": ("7d", parse_window),
    "TIMELINE_RESULT_RETENTION": ("400d", parse_window),
    "TIMELINE_INCIDENT_RETENTION": ("90d", parse_window),
    "TIMELINE_MAX_STATE_MIB": ("8192", make_whole_parser(2**20)),
    "TIMELINE_BATCHES_PER_SEGMENT": ("128", make_whole_parser(least=2)),
    "TIMELINE_EVALUATE_MEMORY_MIB": ("1024", make_whole_parser(2**20, least=256)),
    "TIMELINE_EVALUATE_TIMEOUT_S": ("10", make_whole_parser(least=1, most=3_600)),
    "TIMELINE_MAX_CALLS_PER_MINUTE": ("6000", make_whole_parser()),
    "TIMELINE_MAX_EVENT_CALLS_PER_MINUTE": ("120000", make_whole_parser()),
    "TIMELINE_PUBLIC_LINKS": ("0", parse_flag),
    "TIMELINE_MAX_PUBLIC_CALLS_PER_MINUTE": ("600", make_whole_parser()),
    "TIMELINE_QUOTAS": ("", parse_quotas),
    "TIMELINE_METRICS_TOKEN": ("", parse_token),
    "TIMELINE_LOG_FORMAT": ("text", make_choice_parser("text", "json")),
    "TIMELINE_PROXIES": ("", parse_proxies),
    "TIMELINE_HSTS": ("host", make_choice_parser("off", "host", "subdomains", "preload")),
    "TIMELINE_SESSION_DURATION": ("7d", parse_window),
    "TIMELINE_OPERATORS": ("", parse_folders),
    "TIMELINE_SOURCE_FOLDERS": ("", parse_folders),
    "TIMELINE_SOURCES": ("", parse_folders),
    "TIMELINE_SINKS": ("", parse_folders),
    "TIMELINE_DELIVERY_FOLDER": ("", parse_subdirectory),
    "TIMELINE_REACHES": ("", parse_reaches),
    "TIMELINE_MAIL": ("", parse_mail_server),
    "TIMELINE_MAIL_FROM": ("", parse_mail_address),
    FILES: (PRIVATE, make_choice_parser(PRIVATE, GROUP)),
}


def read(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return every variable's value; raise with all problems at once."""
    names_known = ", ".join(name for name in VARIABLES if name.startswith("TIMELINE_"))
    unknown = sorted(name for name in environment if name.startswith("TIMELINE_") and name not in VARIABLES)
    problems = [f"{name} is not a setting; there are {names_known}" for name in unknown]
    values: dict[str, Any] = {}
    for name, (default, parse) in VARIABLES.items():
        try:
            values[name] = parse(environment.get(name, default))
        except (ValueError, OSError) as why:
            problems.append(f"{name}={mask_value(environment.get(name, default))!r}: {why}")
    if not problems:
        problems += _find_folder_problems(values)
    if problems:
        raise ImproperlyConfigured("Cannot start. " + "; ".join(problems) + ". See docs/settings.md.")
    return values


def _find_folder_problems(values: Mapping[str, Any]) -> list[str]:
    """Return the conflicts of the two directories, which differ only with remote storage."""
    shared, local = values["TIMELINE_DATA"], values["TIMELINE_LOCAL"]
    if isinstance(shared, Path) and local not in (None, shared):
        return [
            f"TIMELINE_LOCAL={str(local)!r}: TIMELINE_DATA is a directory, and holds everything; leave it out, "
            "or give it the same"
        ]
    return []


set_umask()  # here, because all processes of ours that keep files read the settings first
ENV = read(os.environ)

AWS = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
TIMELINE_DATA: Place = assign_server(ENV["TIMELINE_DATA"], ENV["TIMELINE_WEBHDFS"], AWS)
TIMELINE_LOCAL: Path = (
    TIMELINE_DATA
    if isinstance(TIMELINE_DATA, Path)
    else ENV["TIMELINE_LOCAL"] or parse_directory(str(ROOT / "var"))
)
for _folder in {TIMELINE_LOCAL, TIMELINE_DATA}:
    for _words in close_folder(_folder) if isinstance(_folder, Path) else ():
        print(f"WARNING: {_words}", file=sys.stderr, flush=True)
LANDING = TIMELINE_DATA / "landing"
TIMELINE_DEMO: bool = ENV["TIMELINE_DEMO"]
REDIS_URL: str = ENV["REDIS_URL"]
SPARK_REMOTE: str = ENV["SPARK_REMOTE"]
MAX_IN_FLIGHT_BYTES: int = ENV["TIMELINE_MAX_IN_FLIGHT_MIB"]
MAX_BACKLOG_EVENTS: int = ENV["TIMELINE_MAX_BACKLOG_EVENTS"]
DISK_RESERVE_BYTES: int = ENV["TIMELINE_DISK_RESERVE_MIB"]
TRASH_RETENTION_MICROS: int = ENV["TIMELINE_TRASH_RETENTION"]
UNUSED_NODE_RETENTION_MICROS: int = ENV["TIMELINE_UNUSED_NODE_RETENTION"]
RESULT_RETENTION_MICROS: int = ENV["TIMELINE_RESULT_RETENTION"]
INCIDENT_RETENTION_MICROS: int = ENV["TIMELINE_INCIDENT_RETENTION"]
BATCHES_PER_SEGMENT: int = ENV["TIMELINE_BATCHES_PER_SEGMENT"]
MAX_STATE_BYTES: int = ENV["TIMELINE_MAX_STATE_MIB"]
DELIVERY_FOLDER: Path = ENV["TIMELINE_DELIVERY_FOLDER"] or TIMELINE_LOCAL / "delivered"
EVALUATE_MEMORY_BYTES: int = ENV["TIMELINE_EVALUATE_MEMORY_MIB"]
EVALUATE_TIMEOUT_S: int = ENV["TIMELINE_EVALUATE_TIMEOUT_S"]
MAX_CALLS_PER_MINUTE: int = ENV["TIMELINE_MAX_CALLS_PER_MINUTE"]
MAX_EVENT_CALLS_PER_MINUTE: int = ENV["TIMELINE_MAX_EVENT_CALLS_PER_MINUTE"]
PUBLIC_LINKS: bool = ENV["TIMELINE_PUBLIC_LINKS"]
MAX_PUBLIC_CALLS_PER_MINUTE: int = ENV["TIMELINE_MAX_PUBLIC_CALLS_PER_MINUTE"]
QUOTAS: dict[str, int] = ENV["TIMELINE_QUOTAS"]
METRICS_TOKEN: str = ENV["TIMELINE_METRICS_TOKEN"]
TRIGGER_INTERVAL: str = ENV["TIMELINE_TRIGGER_INTERVAL"]
BUCKETS: int | None = ENV["TIMELINE_BUCKETS"]
LOG_WINDOW: int = ENV["TIMELINE_LOG_WINDOW"]
SOURCE_FOLDERS = tuple(folder.resolve() for folder in ENV["TIMELINE_SOURCE_FOLDERS"])
EGRESS_HOSTS: Reaches = ENV["TIMELINE_REACHES"]
globals().update(ENV["TIMELINE_MAIL"])
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL: str = ENV["TIMELINE_MAIL_FROM"] or "timelines@localhost"
STACK_ID = os.environ.get("STACK_ID", "")  # set by `make run`: which installation a process belongs to
DEBUG: bool = ENV["TIMELINE_DEBUG"]
SECRET_KEY: str = ENV["TIMELINE_SECRET_KEY"] or load_secret(TIMELINE_LOCAL / "secret-key")
ALLOWED_HOSTS: list[str] = ENV["TIMELINE_ALLOWED_HOSTS"]
DATABASES = {"default": ENV["DATABASE_URL"] or SQLITE | {"NAME": str(TIMELINE_LOCAL / "timelines.sqlite3")}}

INSTALLED_APPS = [
    "timeline_app.web.admin_app.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "knox",
    "guardian",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "axes",
    "timeline_app.web",
]
MIDDLEWARE = [
    "timeline_app.web.ops.middleware.Named",
    "timeline_app.web.ops.middleware.AnyHost",
    "django.middleware.security.SecurityMiddleware",
    "timeline_app.web.core.middleware.ContentSecurityPolicy",
    "timeline_app.web.core.middleware.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "timeline_app.web.core.audit_context.FromWhere",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "timeline_app.web.people.passwords.MustChange",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
ROOT_URLCONF = "timeline_app.urls"
ASGI_APPLICATION = "timeline_app.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # What checks of drafts found, by what they looked at; each process has its own.
    "checks": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "checks",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    },
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "timeline_app.web.live.channel_layer.RetryingRedisLayer",
        # Longer than the 5 s for which a quiet socket waits in Redis: the default is to give up just then.
        "CONFIG": {
            "hosts": [{"address": REDIS_URL, "socket_timeout": 30}],
            "prefix": "timelines",
            "capacity": 1000,
        },
    }
}

LANGUAGE_CODE = "en-gb"
FORMAT_MODULE_PATH = ["timeline_app.formats"]
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

FRONTEND = ROOT / "frontend" / "dist"
STATIC_URL = "/static/"
PICTURES = ROOT / "docs" / "img" / "operators"
STATICFILES_DIRS = [
    *([FRONTEND] if FRONTEND.is_dir() else []),
    *([("operators", PICTURES)] if PICTURES.is_dir() else []),
]
# Files are found once, when the process starts; there is no collectstatic step.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/assets/.+-[\w-]{8}\.\w+$"
WHITENOISE_ALLOW_ALL_ORIGINS = False

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: it refuses who tried too often
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None
GUARDIAN_MONKEY_PATCH_USER = GUARDIAN_MONKEY_PATCH_GROUP = False
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"
PASSWORD_HASHERS = ["timeline_app.web.people.hashers.QueuedPBKDF2Hasher"]
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator", "NumericPasswordValidator")
]
AUTH_PASSWORD_VALIDATORS += [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    }
]
HTTPS: bool = ENV["TIMELINE_HTTPS"]
PROXIES: int = int(HTTPS) if ENV["TIMELINE_PROXIES"] is None else ENV["TIMELINE_PROXIES"]

# Of one name from one address: a stranger elsewhere locks nobody out, and who is locked out is let in again by itself.
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = 5
AXES_HANDLER = "timeline_app.web.ops.lockout.LockoutHandler"
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_USERNAME_CALLABLE = "timeline_app.web.ops.lockout.get_submitted_name"
AXES_CLIENT_IP_CALLABLE = "timeline_app.web.core.client_addresses.find_client_address"
AXES_LOCKOUT_CALLABLE = "timeline_app.web.ops.lockout.render_lockout_page"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
# The prefix makes browsers refuse a cookie that another host of the domain has set. A login makes a new session.
SESSION_COOKIE_NAME = "__Host-timelines_session" if HTTPS else "timelines_session"
SESSION_COOKIE_AGE: int = ENV["TIMELINE_SESSION_DURATION"] // 1_000_000
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # asked from inside, past the proxy
    SECURE_HSTS_SECONDS = 0 if ENV["TIMELINE_HSTS"] == "off" else 31_536_000
    SECURE_HSTS_INCLUDE_SUBDOMAINS = ENV["TIMELINE_HSTS"] in ("subdomains", "preload")
    SECURE_HSTS_PRELOAD = ENV["TIMELINE_HSTS"] == "preload"
# Both would bind hosts that are not ours, all others of the domain, for a year: who owns them chooses TIMELINE_HSTS.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024

PERMISSIONS = ["rest_framework.permissions.IsAuthenticated", "timeline_app.web.core.scopes.ScopeOfToken"]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "timeline_app.web.core.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": PERMISSIONS,
    "DEFAULT_THROTTLE_CLASSES": ["timeline_app.web.core.throttles.CallsOfWhoAsks"],
    "DEFAULT_PARSER_CLASSES": ["timeline_app.web.core.parsers.JsonBody"],
    "DEFAULT_RENDERER_CLASSES": ["timeline_app.web.core.renderers.Json"],
    "EXCEPTION_HANDLER": "timeline_app.web.core.error_responses.handle",
    "DEFAULT_SCHEMA_CLASS": "timeline_app.web.core.schema.Schema",
    "NUM_PROXIES": PROXIES,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
# Our own model takes the place of the library's, whose tables are never made.
KNOX_TOKEN_MODEL = "web.ApiToken"  # noqa: S105  (a name)  # nosec B105
MIGRATION_MODULES = {"knox": None}
SPECTACULAR_SETTINGS = {
    "TITLE": "Timelines",
    "VERSION": "1",
    "DESCRIPTION": "Streams, plans, running nodes and their timelines. Times are integer microseconds, UTC.",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": PERMISSIONS,
    "SWAGGER_UI_DIST": "SIDECAR",
    # A link to each call would lie inside the button that opens it, which screen readers cannot tell.
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "timeline_app.web.core.openapi.complete_schema",
    ],
    "ENUM_NAME_OVERRIDES": {
        "ChangeEnum": "timeline_app.web.dashboards.documents.CHANGES",
        "KindEnum": "timeline_app.web.core.schema.KINDS",
        "OutputKindEnum": "timeline_app.web.core.schema.OUTPUT_KINDS",
        "ParameterTypeEnum": "timeline_app.web.plans.operators_api.PARAMETER_TYPES",
        "FieldTypeEnum": "timeline_app.web.streams.api.FIELD_TYPES",
        "FoundKindEnum": "timeline_app.web.core.search_api.THINGS",
        "StoredKindEnum": "timeline_app.web.workspace.storage.KINDS",
        "GivenKindEnum": "timeline_app.web.workspace.bulk_transfer_api.GIVEN",
        "RejectedKindEnum": "timeline_app.web.models.arrivals.RejectedEvent.Kind",
        "VersionReasonEnum": "timeline_app.web.plans.versions_api.REASONS",
        "SideReasonEnum": "timeline_app.web.plans.versions_api.SIDES",
        "ChartTypeEnum": "timeline_app.web.dashboards.documents.CHARTS",
        "OwnerKindEnum": "timeline_app.web.core.schema.OWNER_KINDS",
        "RightsEnum": "timeline_app.web.core.schema.RIGHTS",
        "SharedRightEnum": "timeline_app.web.workspace.sharing_api.GIVEN",
        "RoleEnum": "timeline_app.web.core.schema.ROLES",
        "SeverityEnum": "timeline_app.web.core.schema.SEVERITIES",
        "AlertSeverityEnum": "timeline_app.web.models.alerts.Alert.Severity",
        "AlertStateEnum": "timeline_app.web.alerts.selectors.STATES",
        "IncidentStateEnum": "timeline_app.web.models.alerts.Incident.State",
        "IncidentChangeEnum": "timeline_app.web.models.alerts.IncidentTransition.Kind",
        "ChannelObservedEnum": "timeline_app.web.models.channels.AlertChannel.Observed",
        "IncidentNoteKindEnum": "timeline_app.web.models.alerts.IncidentNote.Kind",
    },
}

CELERY_BROKER_URL = format_celery_broker(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Redis refuses every write while its disk is full: wait for it, as for one that is away.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 30}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE = {
    # Expires before the next one is due: a worker that was away finds one to do, not a thousand.
    "supervise": {"task": "workers.tasks.supervise", "schedule": 2.0, "options": {"expires": 2.0}},
    "rights": {"task": "workers.tasks.end_lost_rights", "schedule": 10.0, "options": {"expires": 10.0}},
    "warm_up": {"task": "workers.tasks.warm_up", "schedule": 5.0, "options": {"expires": 5.0}},
    "compact": {"task": "workers.tasks.compact", "schedule": 600.0, "options": {"expires": 600.0}},
    "tidy_up": {"task": "workers.tasks.tidy_up", "schedule": 600.0, "options": {"expires": 600.0}},
    "feeds": {"task": "workers.tasks.pack_feeds", "schedule": 60.0, "options": {"expires": 60.0}},
    "landings": {"task": "workers.tasks.compact_landings", "schedule": 60.0, "options": {"expires": 60.0}},
}

LOGGING = logs.build_logging_config(ENV["TIMELINE_LOG_FORMAT"], sys.stderr)
