import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useAllKeys } from "./allKeys";
import { AllKeys } from "./AllKeys";
import { EventRows } from "./EventRows";
import { Follow } from "./Follow";
import { KeyChooser } from "../core/search/KeyChooser";
import { onLaneKey } from "./keyboard";
import { openKeysPanel, useKeysPanel } from "./keysPanel";
import { KeysPanel, type KeysNode } from "./KeysPanel";
import { useFunnelPanel } from "./funnelPanel";
import { findRightEdge, EMPTY, newestEventOf, type Lane } from "../timechart/lane";
import { openWhy } from "./laneActions";
import type { LaneRef } from "./store";
import { LaneRow } from "./LaneRow";
import { useLegend } from "./legend";
import { LegendBar } from "./LegendBar";
import { LanesToolbar } from "./LanesToolbar";
import {
  selectFollowedLanes,
  MAX_FOLLOWED_LANES,
  selectOverviewLanes,
  useVisibleLanes,
} from "./visibleLanes";
import { EVERYONE, selectKeySource, type ListedNode, type Sought } from "../core/search/keySource";
import { Overview } from "./Overview";
import { useOverviewAsOf } from "./asOfOverview";
import type { Window } from "../timechart/window";
import {
  setPinned,
  selectWindowLanes,
  showView,
  selectShownLanes,
  useLanes,
  readWallClock,
  type View,
} from "./store";
import { useAsOf } from "./asOf";
import { AsOfBar } from "./AsOfBar";
import { CompareBar } from "./CompareBar";
import { TimeAxis } from "./TimeAxis";
import { useClock } from "../timechart/useClock";
import { useGestures } from "./useGestures";
import { useDebouncedView } from "./useDebouncedView";
import { computeFollowedWindow, endWindowBefore, computeWholeWindow } from "../timechart/view";
import { AS_GUESSED } from "../timechart/display";
import { useDisplays } from "../timechart/displays";
import { DisplayDialog } from "../timechart/DisplayDialog";

const FunnelPanel = lazy(() => import("./FunnelPanel").then((module) => ({ default: module.FunnelPanel })));

interface LanesProps extends Sought {
  /** Those of which the events of the key are shown. */
  streams: readonly string[];
  /** Those of them whose events are not shared with who looks. */
  hidden: readonly string[];
  /** What is said where there is no lane. */
  empty: string;
  /** Why the node whose keys are offered has none yet, by its state; null where that is no reason. */
  stands: string | null;
  /** Why what is shown is live, where that may surprise. */
  note?: ReactNode;
}

/** In place of a digest, of a node that nobody computes: only its preview is there. */
const UNKNOWN = "";

const pinKey = (key: string): void => setPinned("key", key);
const pinGroup = (group: string): void => setPinned("group", group);

interface ChoosersProps extends Sought {
  stands: string | null;
  waits: (words: string | null) => void;
}

function Choosers(props: ChoosersProps) {
  const key = useLanes((state) => state.key);
  const group = useLanes((state) => state.group);
  const preview = useLanes((state) => state.preview);
  const digest = selectKeySource(props, false)?.digest ?? null;
  const { stands, waits } = props;
  const told = { stands, waits };
  return (
    <>
      <KeyChooser
        label="Key"
        testId="key-input"
        digest={digest}
        offered={preview?.keys}
        value={key}
        choose={pinKey}
        {...(digest === null ? {} : told)}
      />
      {props.listed.some((one) => one.grouped && !one.everyone) && (
        <KeyChooser
          label="Group"
          testId="group-input"
          digest={selectKeySource(props, true)?.digest ?? null}
          offered={preview?.groups}
          value={group}
          choose={pinGroup}
          {...(digest === null ? told : {})}
        />
      )}
    </>
  );
}

/** Each node that has a lane, with the key that is pinned for it. */
function useShown(listed: readonly ListedNode[]): readonly LaneRef[] {
  const key = useLanes((state) => state.key);
  const group = useLanes((state) => state.group);
  const preview = useLanes((state) => state.preview);
  return useMemo(
    () =>
      listed.flatMap(({ name, digest, grouped, everyone }) => {
        const pinned = everyone ? EVERYONE : grouped ? group : key;
        const isSeen = digest !== null || (preview !== null && name in preview.lanes);
        return pinned === "" || !isSeen ? [] : [{ name, digest: digest ?? UNKNOWN, pinned }];
      }),
    [listed, key, group, preview],
  );
}

/** What is shown: the window and now, the same for the lanes, the overview and the canvas. */
function useView(laneRefs: readonly LaneRef[]) {
  const clock = useClock();
  const lanes = useLanes(selectShownLanes);
  const past = useLanes((state) => state.past);
  const paused = useLanes((state) => state.pausedAt);
  const span = useLanes((state) => state.span);
  const held = useLanes((state) => state.held);
  const all = useMemo(() => selectWindowLanes({ lanes, past }, laneRefs), [lanes, past, laneRefs]);
  const asOf = useAsOf((state) => state.knownAt);
  const wall = Math.min(paused ?? Math.max(clock, 0), asOf ?? Infinity);
  const { now, follows, stopped } = findRightEdge(all, wall);
  const { start, end } = held === null ? computeFollowedWindow(span, all, now) : endWindowBefore(held, now);
  const view = useMemo(() => ({ window: { start, end }, now }), [start, end, now]);
  useEffect(() => showView(view), [view]);
  const newest = follows === "events" && stopped === null ? newestEventOf(all) : null;
  return { lanes, all, now, newest, stopped, view };
}

/** The nodes whose keys can be asked. */
function withKeys({ name, digest, grouped, everyone }: ListedNode): KeysNode[] {
  return digest === null || everyone ? [] : [{ name, digest, grouped }];
}

/** The node whose keys are asked at first: the selected one, else the last that says true or false. */
function offered(listed: readonly ListedNode[], selected: readonly string[]): string {
  const lanes = selectShownLanes(useLanes.getState());
  const some = listed.filter((one) => one.digest !== null && !one.everyone);
  const chosen = some.find((one) => selected.includes(one.name));
  return (chosen ?? some.findLast((one) => lanes[one.name]?.kind === "bool") ?? some.at(-1))?.name ?? "";
}

interface StripsProps {
  shown: readonly LaneRef[];
  lanes: Readonly<Record<string, Lane>>;
  range: Window;
  view: View;
}

/** The overview of the lanes as they are shown: as they are, or were known at the moment that was chosen. */
function Strips({ shown, lanes, range, view }: StripsProps) {
  const nears = useVisibleLanes();
  const moment = useAsOf((state) => state.knownAt);
  const some = useMemo(() => selectOverviewLanes(shown, nears), [shown, nears]);
  const named = useMemo(() => some.filter(({ name }) => lanes[name] !== undefined), [some, lanes]);
  const live = useMemo(() => named.flatMap(({ name }) => lanes[name] ?? []), [named, lanes]);
  const shownAs = useDisplays((state) => state.shown);
  const of = moment === null ? named : some;
  const displays = useMemo(() => of.map(({ name }) => shownAs[name]?.display ?? AS_GUESSED), [of, shownAs]);
  const then = useOverviewAsOf(some, lanes, range);
  return (
    <Overview
      lanes={moment === null ? live : (then ?? [])}
      displays={displays}
      some={live.length}
      of={shown.length}
      known={moment === null ? null : then ? "as of then" : "loading…"}
      range={range}
      {...view}
    />
  );
}

function Followed({ shown, names }: { shown: readonly LaneRef[]; names: readonly string[] }) {
  const nears = useVisibleLanes();
  const selected = useMemo(() => new Set(names), [names]);
  const computed = useMemo(() => shown.filter(({ digest }) => digest !== UNKNOWN), [shown]);
  return selectFollowedLanes(computed, nears, selected).map((followedLane) => (
    <Follow key={followedLane.name} {...followedLane} />
  ));
}

function Many({ lanes }: { lanes: number }) {
  return (
    <p className="notice-line faint lanes-many" data-testid="lanes-many">
      {lanes} lanes. Followed are those in sight here, and those of the nodes that are selected on the canvas.
    </p>
  );
}

interface OfNodesProps extends Pick<LanesProps, "streams" | "hidden" | "empty"> {
  shown: readonly LaneRef[];
  lanes: Readonly<Record<string, Lane>>;
  window: Window;
  now: number;
  /** What is drawn: what is shown, or was a moment ago. */
  view: View;
}

/** A lane for each node, of the key that is pinned. */
function OfNodes({ shown, lanes, streams, hidden, window, now, view, empty }: OfNodesProps) {
  const place = useRef<HTMLDivElement>(null);
  const why = useCallback(
    (name: string, at: number) => {
      const laneRef = shown.find((one) => one.name === name);
      const lane = selectShownLanes(useLanes.getState())[name];
      if (laneRef && lane && lane.pieces.length > 0 && !lane.preview) openWhy(laneRef, at);
    },
    [shown],
  );
  return (
    <div
      className="lanes-scroll"
      data-testid="lanes"
      ref={place}
      {...useGestures(place, why)}
      onKeyDown={onLaneKey}
    >
      {shown.length > 0 && <TimeAxis window={window} />}
      {shown.length > 0 && <EventRows streams={streams} hidden={hidden} view={view} />}
      {shown.map((one) => (
        <LaneRow key={one.name} asked={one} lane={lanes[one.name] ?? EMPTY} view={view} now={now} />
      ))}
      {shown.length === 0 && <p className="faint lanes-empty">{empty}</p>}
    </div>
  );
}

/** Aligned lanes of nodes for the key that is pinned, with all that is asked of them. */
export function LanesView({ listed, selected, results, streams, hidden, empty, stands, note }: LanesProps) {
  const laneRefs = useShown(listed);
  const { lanes, all, now, newest, stopped, view } = useView(laneRefs);
  const { window } = view;
  const then = useAsOf((state) => state.open);
  const keys = useKeysPanel((state) => state.open);
  const allKeys = useAllKeys((state) => state.open);
  const funnel = useFunnelPanel((state) => state.node);
  const legend = useLegend((state) => state.open);
  const drawn = useDebouncedView(view);
  const [waits, setWaits] = useState<string | null>(null);
  const names = useMemo(() => laneRefs.map(({ name }) => name), [laneRefs]);
  const withOwnKeys = useMemo(() => listed.flatMap(withKeys), [listed]);
  const sequences = useMemo(() => listed.filter((one) => one.sequence).flatMap(withKeys), [listed]);
  return (
    <>
      {keys && (
        <KeysPanel nodes={withOwnKeys} first={offered(listed, selected)} close={() => openKeysPanel(false)} />
      )}
      {funnel !== null && (
        <Suspense>
          <FunnelPanel key={funnel} nodes={sequences} name={funnel} />
        </Suspense>
      )}
      <LanesToolbar
        {...{ newest, stopped, note }}
        sequence={(sequences.find(({ name }) => selected.includes(name)) ?? sequences[0])?.name ?? null}
        pauseAt={readWallClock}
        some={laneRefs.length > 0}
      >
        <Choosers listed={listed} selected={selected} results={results} stands={stands} waits={setWaits} />
      </LanesToolbar>
      {legend && <LegendBar names={names} lanes={lanes} />}
      <DisplayDialog />
      <Followed shown={laneRefs} names={selected} />
      {then && laneRefs.length > 0 && <AsOfBar shown={laneRefs} />}
      {laneRefs.length > 0 && !allKeys && <CompareBar />}
      {laneRefs.length > 0 && (
        <Strips shown={laneRefs} lanes={lanes} range={computeWholeWindow(all, now)} view={view} />
      )}
      {laneRefs.length > MAX_FOLLOWED_LANES && <Many lanes={laneRefs.length} />}
      {allKeys ? (
        <AllKeys nodes={withOwnKeys} first={offered(listed, selected)} view={drawn} />
      ) : (
        <OfNodes
          {...{ shown: laneRefs, lanes, streams, hidden, view: drawn, window, now, empty: waits ?? empty }}
        />
      )}
    </>
  );
}
