import "@xyflow/react/dist/style.css";
import "./studio.css";
import "./toolbar.css";
import "../../plans/editor/nodes.css";
import "./inspector.css";
import "../../plans/editor/canvas.css";
import "../../live/lanes.css";
import "../../live/keys.css";
import "../../live/ticks.css";
import "../../plans/why/why.css";
import "../../plans/help/help.css";
import "../../plans/drafts/drafts.css";
import "../../plans/versions/versions.css";
import "../../plans/versions/comparison.css";
import "../../plans/run/run.css";
import "../../plans/text/code.css";
import "../../plans/transfer/import.css";
import "../../core/ui/menu.css";
import "../laneActions";
import { ReactFlowProvider } from "@xyflow/react";
import { lazy, Suspense, useEffect } from "react";
import type { Me, NodeStatus } from "../../core/api/types";
import { Alerting } from "./AlertButton";
import { Pinning } from "./PinButton";
import { ConflictDialog } from "../../plans/drafts/ConflictDialog";
import { LastChangeNotice } from "../../plans/drafts/LastChangeNotice";
import { useDrafting } from "../../plans/drafts/useDrafting";
import { listenToClipboard } from "../../plans/editor/clipboard";
import { CommandPalette } from "./CommandPalette";
import { Inspector } from "./Inspector";
import { listenToKeys } from "./keys";
import { KeySheet } from "./KeySheet";
import { Palette } from "./Palette";
import { Problems } from "./Problems";
import { check, load } from "../../plans/drafts/planActions";
import { documentOf, set, useStudio } from "../../plans/editor/store";
import { Toolbar } from "./Toolbar";
import { PeopleAt } from "../../plans/drafts/People";
import { registerNodeParts } from "../../plans/editor/nodeParts";
import { NotSavedNotice } from "../../plans/drafts/NotSavedNotice";
import { OperatorHelp } from "../../plans/help/OperatorHelp";
import { useAsOf } from "../../live/asOf";
import { NodeStrip } from "../../live/NodeStrip";
import { LanesDock } from "./LanesDock";
import { readWallClock } from "../../live/store";
import { getConnection } from "../../core/socket/pageConnection";
import { tallyRevisions } from "../../plans/editor/useFlow";
import { PlanDialogs } from "../../plans/sharing/PlanDialogs";
import { RunDialog } from "../../plans/run/RunDialog";
import { Running } from "../../plans/run/Running";
import { usePreview } from "./preview/usePreview";
import { loadTests } from "../../samples/actions";
import { useTesting } from "../../samples/open";
import { NotAvailable } from "../../core/ui/NotAvailable";
import { NoticeLine } from "../../core/ui/Notice";
import { useTitle } from "../../core/ui/useTitle";
import { Guard } from "../../core/ui/Guard";
import { Header } from "../../core/shell/Header";
import { VersionsView } from "../../plans/versions/VersionsView";
import { Import } from "../../plans/transfer/Import";
import { Views } from "../../plans/text/Stage";
import { WhyPanel } from "../../plans/why/WhyPanel";
import { useDisplaysOfPlan } from "../../plans/editor/displays";

registerNodeParts({ presence: PeopleAt, strip: NodeStrip });

const CHECK_AFTER_MS = 300;
/** While the server could not be asked. */
const CHECK_AGAIN_MS = 3000;

/** The check looks at what a plan computes; moving nodes about asks nothing. */
function useChecking(): void {
  const nodes = useStudio((state) => documentOf(state).nodes);
  const results = useStudio((state) => documentOf(state).results);
  const loaded = useStudio((state) => state.loaded);
  useEffect(() => {
    if (!loaded) return;
    const timer = window.setTimeout(() => void check(), CHECK_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [nodes, results, loaded]);
  const failed = useStudio((state) => state.checkFailure !== null);
  useEffect(() => {
    if (!failed) return;
    const timer = window.setInterval(() => void check(), CHECK_AGAIN_MS);
    return () => window.clearInterval(timer);
  }, [failed]);
}

function byName(nodes: readonly NodeStatus[]): Record<string, NodeStatus> {
  return Object.fromEntries(nodes.map((node) => [node.name, node]));
}

function useStatuses(): void {
  const id = useStudio((state) => (state.plan?.running ? state.plan.id : null));
  useEffect(() => {
    if (id === null) return;
    return getConnection().watch(id, ({ nodes }) => {
      tallyRevisions(nodes, readWallClock());
      set({ statuses: byName(nodes) });
    });
  }, [id]);
}

function useKeys(): void {
  useEffect(listenToKeys, []);
  useEffect(listenToClipboard, []);
}

/** What a plan that takes long waits for; at once it would only flicker. */
function Opening() {
  const nodes = useStudio((state) => Object.keys(documentOf(state).nodes).length);
  const words = nodes > 0 ? `Laying out ${nodes.toLocaleString("en")} nodes…` : "Loading the plan…";
  return (
    <p className="opening faint" role="status">
      {words}
    </p>
  );
}

/** Why there is no plan to be seen, or what it waits for. */
function Missing() {
  const notice = useStudio((state) => state.notice);
  if (notice === null) return <Opening />;
  return (
    <NotAvailable title="This plan cannot be shown" words={notice.text} link="/">
      All plans
    </NotAvailable>
  );
}

function Notice() {
  const notice = useStudio((state) => state.notice);
  return <NoticeLine notice={notice} close={() => set({ notice: null })} />;
}

const SamplesDock = lazy(() =>
  import("../../samples/SamplesDock").then((module) => ({ default: module.SamplesDock })),
);

/** Below the canvas: the lanes of what runs, or what a sample and the tests say. */
function Dock() {
  const testing = useTesting((state) => state.open);
  if (!testing) return <LanesDock />;
  return (
    <Suspense fallback={<section className="lanes" style={{ height: 320 }} aria-label="Samples and tests" />}>
      <SamplesDock />
    </Suspense>
  );
}

/** Why the system stopped the plan. */
function Ended() {
  const ended = useStudio(({ plan }) => plan?.ended ?? "");
  return ended === "" ? null : (
    <p className="notice bad" role="status" data-testid="plan-ended">
      This plan was stopped: {ended}.
    </p>
  );
}

function Importing() {
  return <Import current={useStudio(documentOf)} testsKept={loadTests} />;
}

function Explanation() {
  return <WhyPanel knownAt={useAsOf((state) => state.knownAt)} />;
}

function Workbench() {
  return (
    <div className="studio">
      <Toolbar />
      <Palette />
      <div className="middle">
        <div className="stage">
          <NotSavedNotice />
          <Ended />
          <Guard what="The plan">
            <Views />
          </Guard>
          <Guard what="The explanation">
            <OperatorHelp />
            <Explanation />
          </Guard>
        </div>
        <LastChangeNotice />
        <Notice />
        <Guard what="What is below the plan">
          <Dock />
        </Guard>
      </div>
      <div className="right">
        <Guard what="What is beside the plan">
          <Inspector />
          <Running />
          <Problems />
        </Guard>
      </div>
      <ConflictDialog />
      <Guard what="The comparison">
        <VersionsView />
      </Guard>
      <CommandPalette />
      <KeySheet />
      <RunDialog />
      <PlanDialogs />
      <Importing />
      <Pinning />
      <Alerting />
    </div>
  );
}

export function StudioPage({ me, id }: { me: Me | null; id: number | null }) {
  const loaded = useStudio((state) => state.loaded);
  useEffect(() => void load(id), [id]);
  useTitle(useStudio((state) => (state.loaded ? documentOf(state).name : "")));
  useChecking();
  useStatuses();
  useKeys();
  useDrafting();
  usePreview();
  useDisplaysOfPlan();
  return (
    <div className="full-page">
      <Header me={me} here="studio" />
      {loaded ? (
        <ReactFlowProvider>
          <Workbench />
        </ReactFlowProvider>
      ) : (
        <Missing />
      )}
    </div>
  );
}
