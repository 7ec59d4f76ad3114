"""Addresses of the API."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from timeline_app.web.api import (
    arrivals,
    dashboards,
    drafts,
    evaluate,
    events,
    guesses,
    looking,
    me,
    nodes,
    operators,
    placement,
    plan_tests,
    plans,
    samples,
    streams,
    texts,
    ticks,
    tokens,
    versions,
    why,
)

# A page has nothing to tell in answer to OPTIONS.
pages_of_calls = SpectacularSwaggerSplitView.as_view(url_name="api-schema", http_method_names=["get", "head"])

urlpatterns = [
    path("operators/", operators.OperatorsView.as_view(), name="api-operators"),
    path("streams/", streams.StreamsView.as_view(), name="api-streams"),
    path("streams/<str:name>/", streams.StreamView.as_view(), name="api-stream"),
    path("streams/<str:name>/events/", events.EventsView.as_view(), name="api-events"),
    path("streams/<str:name>/sample/", guesses.SampleView.as_view(), name="api-sample"),
    path("streams/<str:name>/ticks/", ticks.TicksView.as_view(), name="api-ticks"),
    path("streams/<str:name>/activity/", arrivals.ActivityView.as_view(), name="api-activity"),
    path("streams/<str:name>/aside/", arrivals.AsideView.as_view(), name="api-aside"),
    path("streams/<str:name>/aside/again/", arrivals.AsideAgainView.as_view(), name="api-aside-again"),
    path(
        "streams/<str:name>/consequences/",
        arrivals.StreamConsequencesView.as_view(),
        name="api-stream-consequences",
    ),
    path("guess/", guesses.GuessView.as_view(), name="api-guess"),
    path("plans/", plans.PlansView.as_view(), name="api-plans"),
    path("plans/check/", plans.PlanCheckView.as_view(), name="api-plan-check"),
    path("plans/consequences/", placement.ForeseeView.as_view(), name="api-plan-foresee"),
    path("plans/<int:number>/", plans.PlanView.as_view(), name="api-plan"),
    path("plans/<int:number>/text/", texts.PlanTextView.as_view(), name="api-plan-text"),
    path("text/", texts.TextView.as_view(), name="api-text"),
    path("plans/<int:number>/merge/", drafts.PlanMergeView.as_view(), name="api-plan-merge"),
    path("plans/<int:number>/changes/", drafts.PlanChangesView.as_view(), name="api-plan-changes"),
    path("plans/<int:number>/versions/", versions.VersionsView.as_view(), name="api-plan-versions"),
    path(
        "plans/<int:number>/versions/<int:version>/",
        versions.VersionView.as_view(),
        name="api-plan-version",
    ),
    path(
        "plans/<int:number>/versions/<int:version>/restore/",
        versions.RestoreView.as_view(),
        name="api-plan-version-restore",
    ),
    path("plans/<int:number>/compare/", versions.CompareView.as_view(), name="api-plan-compare"),
    path("plans/<int:number>/run/", plans.PlanRunView.as_view(), name="api-plan-run"),
    path(
        "plans/<int:number>/consequences/",
        placement.PlanConsequencesView.as_view(),
        name="api-plan-consequences",
    ),
    path(
        "plans/<int:number>/stop/consequences/",
        placement.PlanStopConsequencesView.as_view(),
        name="api-plan-stop-consequences",
    ),
    path("plans/<int:number>/explain/", placement.PlanExplainView.as_view(), name="api-plan-explain"),
    path("plans/<int:number>/stop/", plans.PlanStopView.as_view(), name="api-plan-stop"),
    path("plans/<int:number>/tests/", plan_tests.PlanTestsView.as_view(), name="api-plan-tests"),
    path("plans/<int:number>/tests/run/", plan_tests.PlanTestsRunView.as_view(), name="api-plan-tests-run"),
    path(
        "plans/<int:number>/tests/export/",
        plan_tests.PlanTestsExportView.as_view(),
        name="api-plan-tests-export",
    ),
    path("plans/<int:number>/tests/<int:test>/", plan_tests.PlanTestView.as_view(), name="api-plan-test"),
    path("evaluate/", evaluate.EvaluateView.as_view(), name="api-evaluate"),
    path("samples/", samples.SamplesView.as_view(), name="api-samples"),
    path("samples/<int:number>/", samples.SampleView.as_view(), name="api-sample"),
    path("samples/<int:number>/events/", samples.SampleEventsView.as_view(), name="api-sample-events"),
    path("nodes/", nodes.NodesView.as_view(), name="api-nodes"),
    path("nodes/<str:digest>/", nodes.NodeView.as_view(), name="api-node"),
    path("nodes/<str:digest>/keys/", nodes.KeysView.as_view(), name="api-node-keys"),
    path("nodes/<str:digest>/states/", looking.StatesView.as_view(), name="api-node-states"),
    path("nodes/<str:digest>/revisions/", looking.HistoryView.as_view(), name="api-node-revisions"),
    path("nodes/<str:digest>/difference/", looking.DifferenceView.as_view(), name="api-node-difference"),
    path("nodes/<str:digest>/timeline/", nodes.TimelineView.as_view(), name="api-node-timeline"),
    path("nodes/<str:digest>/why/", why.WhyView.as_view(), name="api-node-why"),
    path("dashboards/", dashboards.DashboardsView.as_view(), name="api-dashboards"),
    path("dashboards/sources/", dashboards.DashboardSourcesView.as_view(), name="api-dashboard-sources"),
    path("dashboards/<int:number>/", dashboards.DashboardView.as_view(), name="api-dashboard"),
    path(
        "dashboards/<int:number>/charts/",
        dashboards.DashboardChartsView.as_view(),
        name="api-dashboard-charts",
    ),
    path(
        "dashboards/<int:number>/versions/",
        dashboards.DashboardVersionsView.as_view(),
        name="api-dashboard-versions",
    ),
    path("me/", me.MeView.as_view(), name="api-me"),
    path("tokens/", tokens.TokensView.as_view(), name="api-tokens"),
    path("tokens/<int:number>/", tokens.TokenView.as_view(), name="api-token"),
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("docs/", login_required(pages_of_calls), name="api-docs"),
]
