"""Addresses of the API."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from timeline_app.web.alerts import api as alerts_api
from timeline_app.web.alerts import back_test_api, channels_api, incidents_api
from timeline_app.web.core import search_api
from timeline_app.web.dashboards import api as dashboards_api
from timeline_app.web.dashboards import links_api, public_api
from timeline_app.web.nodes import actions_api, funnel_api, keys_api, ticks_api, why_api
from timeline_app.web.nodes import api as nodes_api
from timeline_app.web.ops import operations_api
from timeline_app.web.people import api as people_api
from timeline_app.web.people import me_api, teams_api, tokens_api
from timeline_app.web.plans import api as plans_api
from timeline_app.web.plans import displays_api as plan_displays_api
from timeline_app.web.plans import (
    drafts_api,
    evaluate_api,
    operators_api,
    placement_api,
    texts_api,
    versions_api,
)
from timeline_app.web.samples import api as samples_api
from timeline_app.web.samples import tests_api
from timeline_app.web.sinks import api as sinks_api
from timeline_app.web.streams import api as streams_api
from timeline_app.web.streams import (
    arrivals_api,
    displays_api,
    events_api,
    field_values_api,
    guesses_api,
    source_api,
)
from timeline_app.web.workspace import (
    audit_api,
    bulk_transfer_api,
    sharing_api,
    storage_api,
    transfer_api,
    trash_api,
)

# A page has nothing to tell in answer to OPTIONS.
pages_of_calls = SpectacularSwaggerSplitView.as_view(url_name="api-schema", http_method_names=["get", "head"])

urlpatterns = [
    path("operators/", operators_api.OperatorsView.as_view(), name="api-operators"),
    path("streams/", streams_api.StreamsView.as_view(), name="api-streams"),
    path("streams/<str:name>/", trash_api.RemovableStreamView.as_view(), name="api-stream"),
    path("streams/<str:name>/removal/", trash_api.StreamRemovalView.as_view(), name="api-stream-removal"),
    path("streams/<str:name>/empty/", trash_api.StreamEmptyView.as_view(), name="api-stream-empty"),
    path("storage/", storage_api.StorageView.as_view(), name="api-storage"),
    path("operations/", operations_api.OperationsView.as_view(), name="api-operations"),
    path("trash/", trash_api.TrashView.as_view(), name="api-trash"),
    path("trash/<int:number>/restore/", trash_api.TrashRestoreView.as_view(), name="api-trash-restore"),
    path("streams/<str:name>/display/", displays_api.StreamDisplayView.as_view(), name="api-stream-display"),
    path("streams/<str:name>/events/", events_api.EventsView.as_view(), name="api-events"),
    path("streams/<str:name>/sample/", guesses_api.PushedSampleView.as_view(), name="api-sample"),
    path("streams/<str:name>/ticks/", ticks_api.TicksView.as_view(), name="api-ticks"),
    path("streams/<str:name>/values/", field_values_api.StreamValuesView.as_view(), name="api-stream-values"),
    path("streams/<str:name>/activity/", arrivals_api.ActivityView.as_view(), name="api-activity"),
    path("streams/<str:name>/rejected/", arrivals_api.RejectedEventsView.as_view(), name="api-rejected"),
    path(
        "streams/<str:name>/rejected/retry/",
        arrivals_api.RetryRejectedView.as_view(),
        name="api-rejected-retry",
    ),
    path(
        "streams/<str:name>/consequences/",
        arrivals_api.StreamConsequencesView.as_view(),
        name="api-stream-consequences",
    ),
    path("source-kinds/", source_api.SourceKindsView.as_view(), name="api-source-kinds"),
    path("streams/<str:name>/source/", source_api.SourceView.as_view(), name="api-source"),
    path("streams/<str:name>/source/check/", source_api.SourceCheckView.as_view(), name="api-source-check"),
    path("streams/<str:name>/source/pause/", source_api.SourcePauseView.as_view(), name="api-source-pause"),
    path(
        "streams/<str:name>/source/resume/", source_api.SourceResumeView.as_view(), name="api-source-resume"
    ),
    path("guess/", guesses_api.GuessView.as_view(), name="api-guess"),
    path("plans/", plans_api.PlansView.as_view(), name="api-plans"),
    path("plans/check/", plans_api.PlanCheckView.as_view(), name="api-plan-check"),
    path("plans/consequences/", placement_api.ForeseeView.as_view(), name="api-plan-foresee"),
    path("plans/<int:number>/", plans_api.PlanView.as_view(), name="api-plan"),
    path("plans/<int:number>/display/", plan_displays_api.PlanDisplayView.as_view(), name="api-plan-display"),
    path("plans/<int:number>/text/", texts_api.PlanTextView.as_view(), name="api-plan-text"),
    path("text/", texts_api.TextView.as_view(), name="api-text"),
    path("plans/<int:number>/merge/", drafts_api.PlanMergeView.as_view(), name="api-plan-merge"),
    path("plans/<int:number>/changes/", drafts_api.PlanChangesView.as_view(), name="api-plan-changes"),
    path("plans/<int:number>/versions/", versions_api.VersionsView.as_view(), name="api-plan-versions"),
    path(
        "plans/<int:number>/versions/<int:version>/",
        versions_api.VersionView.as_view(),
        name="api-plan-version",
    ),
    path(
        "plans/<int:number>/versions/<int:version>/restore/",
        versions_api.RestoreView.as_view(),
        name="api-plan-version-restore",
    ),
    path("plans/<int:number>/compare/", versions_api.CompareView.as_view(), name="api-plan-compare"),
    path("plans/<int:number>/run/", plans_api.PlanRunView.as_view(), name="api-plan-run"),
    path(
        "plans/<int:number>/consequences/",
        placement_api.PlanConsequencesView.as_view(),
        name="api-plan-consequences",
    ),
    path(
        "plans/<int:number>/stop/consequences/",
        placement_api.PlanStopConsequencesView.as_view(),
        name="api-plan-stop-consequences",
    ),
    path("plans/<int:number>/explain/", placement_api.PlanExplainView.as_view(), name="api-plan-explain"),
    path("plans/<int:number>/stop/", plans_api.PlanStopView.as_view(), name="api-plan-stop"),
    path("plans/<int:number>/tests/", tests_api.PlanTestsView.as_view(), name="api-plan-tests"),
    path("plans/<int:number>/tests/run/", tests_api.PlanTestsRunView.as_view(), name="api-plan-tests-run"),
    path(
        "plans/<int:number>/tests/export/",
        tests_api.PlanTestsExportView.as_view(),
        name="api-plan-tests-export",
    ),
    path("plans/<int:number>/tests/<int:test>/", tests_api.PlanTestView.as_view(), name="api-plan-test"),
    path("evaluate/", evaluate_api.EvaluateView.as_view(), name="api-evaluate"),
    path("samples/", samples_api.SamplesView.as_view(), name="api-samples"),
    path("samples/<int:number>/", samples_api.SampleView.as_view(), name="api-sample"),
    path("samples/<int:number>/events/", samples_api.SampleEventsView.as_view(), name="api-sample-events"),
    path("nodes/", nodes_api.NodesView.as_view(), name="api-nodes"),
    path("nodes/<str:digest>/", nodes_api.NodeView.as_view(), name="api-node"),
    path("nodes/<str:digest>/restart/", actions_api.NodeRestartView.as_view(), name="api-node-restart"),
    path("nodes/<str:digest>/stop/", actions_api.NodeStopView.as_view(), name="api-node-stop"),
    path("nodes/<str:digest>/keys/", nodes_api.KeysView.as_view(), name="api-node-keys"),
    path("nodes/<str:digest>/states/", keys_api.StatesView.as_view(), name="api-node-states"),
    path("nodes/<str:digest>/funnel/", funnel_api.FunnelView.as_view(), name="api-node-funnel"),
    path("nodes/<str:digest>/timelines/", keys_api.KeyTimelinesView.as_view(), name="api-node-timelines"),
    path("nodes/<str:digest>/revisions/", keys_api.HistoryView.as_view(), name="api-node-revisions"),
    path("nodes/<str:digest>/difference/", keys_api.DifferenceView.as_view(), name="api-node-difference"),
    path("nodes/<str:digest>/timeline/", nodes_api.TimelineView.as_view(), name="api-node-timeline"),
    path("nodes/<str:digest>/why/", why_api.WhyView.as_view(), name="api-node-why"),
    path("sink-kinds/", sinks_api.SinkKindsView.as_view(), name="api-sink-kinds"),
    path("nodes/<str:digest>/sinks/", sinks_api.SinksView.as_view(), name="api-node-sinks"),
    path("nodes/<str:digest>/sinks/check/", sinks_api.SinkCheckView.as_view(), name="api-node-sink-check"),
    path("nodes/<str:digest>/sinks/<int:number>/", sinks_api.SinkView.as_view(), name="api-node-sink"),
    path(
        "nodes/<str:digest>/sinks/<int:number>/pause/",
        sinks_api.SinkPauseView.as_view(),
        name="api-node-sink-pause",
    ),
    path(
        "nodes/<str:digest>/sinks/<int:number>/resume/",
        sinks_api.SinkResumeView.as_view(),
        name="api-node-sink-resume",
    ),
    path(
        "nodes/<str:digest>/sinks/<int:number>/transfer/",
        transfer_api.SinkTransferView.as_view(),
        name="api-sink-transfer",
    ),
    path("dashboards/", dashboards_api.DashboardsView.as_view(), name="api-dashboards"),
    path("dashboards/sources/", dashboards_api.DashboardSourcesView.as_view(), name="api-dashboard-sources"),
    path("dashboards/<int:number>/", dashboards_api.DashboardView.as_view(), name="api-dashboard"),
    path(
        "dashboards/<int:number>/charts/",
        dashboards_api.DashboardChartsView.as_view(),
        name="api-dashboard-charts",
    ),
    path(
        "dashboards/<int:number>/versions/",
        dashboards_api.DashboardVersionsView.as_view(),
        name="api-dashboard-versions",
    ),
    path(
        "dashboards/<int:number>/links/",
        links_api.DashboardLinksView.as_view(),
        name="api-dashboard-links",
    ),
    path(
        "dashboards/<int:number>/links/<int:link>/",
        links_api.DashboardLinkView.as_view(),
        name="api-dashboard-link",
    ),
    path("public/dashboard/", public_api.PublicDashboardView.as_view(), name="api-public-dashboard"),
    path(
        "public/nodes/<str:digest>/timelines/",
        public_api.PublicKeyTimelinesView.as_view(),
        name="api-public-timelines",
    ),
    path(
        "public/nodes/<str:digest>/funnel/", public_api.PublicFunnelView.as_view(), name="api-public-funnel"
    ),
    path("alerts/", alerts_api.AlertsView.as_view(), name="api-alerts"),
    path("alerts/test/", back_test_api.BackTestView.as_view(), name="api-alerts-test"),
    path("alerts/<int:number>/", alerts_api.AlertView.as_view(), name="api-alert"),
    path(
        "alerts/<int:number>/incidents/",
        alerts_api.AlertIncidentsView.as_view(),
        name="api-alert-incidents",
    ),
    path(
        "alerts/<int:number>/transfer/", transfer_api.AlertTransferView.as_view(), name="api-alert-transfer"
    ),
    path("alerts/<int:number>/audit/", audit_api.AlertAuditView.as_view(), name="api-alert-audit"),
    path("channel-kinds/", channels_api.ChannelKindsView.as_view(), name="api-channel-kinds"),
    path("channels/", channels_api.ChannelsView.as_view(), name="api-channels"),
    path("channels/<int:number>/", channels_api.ChannelView.as_view(), name="api-channel"),
    path("channels/<int:number>/test/", channels_api.ChannelTestView.as_view(), name="api-channel-test"),
    path(
        "channels/<int:number>/transfer/",
        transfer_api.ChannelTransferView.as_view(),
        name="api-channel-transfer",
    ),
    path("silences/", channels_api.SilencesView.as_view(), name="api-silences"),
    path("silences/<int:number>/", channels_api.SilenceView.as_view(), name="api-silence"),
    path("incidents/", incidents_api.IncidentsView.as_view(), name="api-incidents"),
    path("incidents/summary/", incidents_api.IncidentsSummaryView.as_view(), name="api-incidents-summary"),
    path("incidents/<int:number>/", incidents_api.IncidentView.as_view(), name="api-incident"),
    path(
        "incidents/<int:number>/acknowledge/",
        incidents_api.IncidentAcknowledgeView.as_view(),
        name="api-incident-acknowledge",
    ),
    path(
        "incidents/<int:number>/assign/",
        incidents_api.IncidentAssignView.as_view(),
        name="api-incident-assign",
    ),
    path(
        "incidents/<int:number>/comment/",
        incidents_api.IncidentCommentView.as_view(),
        name="api-incident-comment",
    ),
    path("transfer/", bulk_transfer_api.GiveView.as_view(), name="api-transfer"),
    path("transfer/consequences/", bulk_transfer_api.GivingView.as_view(), name="api-transfer-consequences"),
    path("search/", search_api.SearchView.as_view(), name="api-search"),
    path("plans/<int:number>/sharing/", sharing_api.PlanSharingView.as_view(), name="api-plan-sharing"),
    path("plans/<int:number>/transfer/", transfer_api.PlanTransferView.as_view(), name="api-plan-transfer"),
    path("plans/<int:number>/audit/", audit_api.PlanAuditView.as_view(), name="api-plan-audit"),
    path("streams/<str:name>/sharing/", sharing_api.StreamSharingView.as_view(), name="api-stream-sharing"),
    path(
        "streams/<str:name>/transfer/", transfer_api.StreamTransferView.as_view(), name="api-stream-transfer"
    ),
    path("streams/<str:name>/audit/", audit_api.StreamAuditView.as_view(), name="api-stream-audit"),
    path(
        "dashboards/<int:number>/sharing/",
        sharing_api.DashboardSharingView.as_view(),
        name="api-board-sharing",
    ),
    path(
        "dashboards/<int:number>/transfer/",
        transfer_api.DashboardTransferView.as_view(),
        name="api-board-transfer",
    ),
    path("dashboards/<int:number>/audit/", audit_api.DashboardAuditView.as_view(), name="api-board-audit"),
    path(
        "samples/<int:number>/transfer/",
        transfer_api.SampleTransferView.as_view(),
        name="api-sample-transfer",
    ),
    path("samples/<int:number>/audit/", audit_api.SampleAuditView.as_view(), name="api-sample-audit"),
    path("nodes/<str:digest>/transfer/", transfer_api.NodeTransferView.as_view(), name="api-node-transfer"),
    path("nodes/<str:digest>/audit/", audit_api.NodeAuditView.as_view(), name="api-node-audit"),
    path("audit/", audit_api.AuditView.as_view(), name="api-audit"),
    path("people/", people_api.PeopleView.as_view(), name="api-people"),
    path("people/<str:name>/", people_api.PersonView.as_view(), name="api-person"),
    path("people/<str:name>/password/", people_api.PersonPasswordView.as_view(), name="api-person-password"),
    path("people/<str:name>/transfer/", transfer_api.TransferAllView.as_view(), name="api-person-transfer"),
    path("people/<str:name>/audit/", audit_api.PersonAuditView.as_view(), name="api-person-audit"),
    path("teams/", teams_api.TeamsView.as_view(), name="api-teams"),
    path("teams/<str:name>/", teams_api.TeamView.as_view(), name="api-team"),
    path("teams/<str:name>/transfer/", transfer_api.TeamTransferView.as_view(), name="api-team-transfer"),
    path("me/password/", people_api.MyPasswordView.as_view(), name="api-my-password"),
    path("me/quotas/", me_api.MyQuotasView.as_view(), name="api-my-quotas"),
    path("me/", me_api.MeView.as_view(), name="api-me"),
    path("tokens/", tokens_api.TokensView.as_view(), name="api-tokens"),
    path("tokens/<int:number>/", tokens_api.TokenView.as_view(), name="api-token"),
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("docs/", login_required(pages_of_calls), name="api-docs"),
]
