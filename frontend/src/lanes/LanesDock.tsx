import { useCallback, useEffect, useMemo, useRef } from "react";
import { digestOf, documentOf, isKnown, useStudio } from "../editor/store";
import { inOrder } from "../graph/arrange";
import { everyoneNodes, groupedNodes } from "../graph/kinds";
import { EventRows } from "./EventRows";
import { Follow } from "./Follow";
import { KeyChooser } from "./KeyChooser";
import { onLaneKey } from "./keys";
import { askKeys, useKeysPanel } from "./keysPanel";
import { KeysPanel, type KeysNode } from "./KeysPanel";
import { edge, EMPTY, type Lane } from "./lane";
import { askWhy, type Asked } from "./LaneLabel";
import { LaneRow } from "./LaneRow";
import { LanesToolbar } from "./LanesToolbar";
import { followed, MOST_FOLLOWED, overviewed, useNears } from "./near";
import { Overview } from "./Overview";
import { Resizer, useHeight } from "./Resizer";
import { pin, reckoned, show, useLanes, wallClock } from "./store";
import { useThen } from "./then";
import { ThenBar } from "./ThenBar";
import { TimeAxis } from "./TimeAxis";
import { useClock } from "./useClock";
import { useGestures } from "./useGestures";
import { useSettled } from "./useSettled";
import { following, whole } from "./view";

interface Listed {
  name: string;
  digest: string | null;
  grouped: boolean;
  /** Its only group is `*`: nobody need choose it. */
  everyone: boolean;
}

const EVERYONE = "*";

/** Nodes in the order of the data, with the digests under which their timelines are found. */
function useListed(): Listed[] {
  const document = useStudio(documentOf);
  const operators = useStudio((state) => state.operators);
  const plan = useStudio((state) => state.plan);
  const check = useStudio((state) => state.check);
  const statuses = useStudio((state) => state.statuses);
  return useMemo(() => {
    const grouped = groupedNodes(document, operators);
    const everyone = everyoneNodes(document, operators);
    const known = { plan, check, statuses };
    return inOrder(document).map((name) => ({
      name,
      digest: isKnown(known, name) ? digestOf(known, name) : null,
      grouped: grouped.has(name),
      everyone: everyone.has(name),
    }));
  }, [document, operators, plan, check, statuses]);
}

/** The node whose keys are offered: the selected one, else a result, else the last of its sort. */
function useOffering(listed: readonly Listed[], grouped: boolean): string | null {
  const selected = useStudio((state) => state.selected);
  const results = useStudio((state) => documentOf(state).results);
  const sort = listed.filter((one) => one.grouped === grouped && !one.everyone && one.digest !== null);
  const named = (names: readonly string[] | undefined) => sort.find((one) => names?.includes(one.name));
  return (named(selected) ?? named(results) ?? sort.at(-1))?.digest ?? null;
}

const pinKey = (key: string): void => pin("key", key);
const pinGroup = (group: string): void => pin("group", group);

function Choosers({ listed }: { listed: readonly Listed[] }) {
  const key = useLanes((state) => state.key);
  const group = useLanes((state) => state.group);
  const keyed = useOffering(listed, false);
  const grouping = useOffering(listed, true);
  return (
    <>
      <KeyChooser label="Key" testId="key-input" digest={keyed} value={key} choose={pinKey} />
      {listed.some((one) => one.grouped && !one.everyone) && (
        <KeyChooser label="Group" testId="group-input" digest={grouping} value={group} choose={pinGroup} />
      )}
    </>
  );
}

/** Each node that has a lane, with the key that is pinned for it. */
function useShown(listed: readonly Listed[]): readonly Asked[] {
  const key = useLanes((state) => state.key);
  const group = useLanes((state) => state.group);
  return useMemo(
    () =>
      listed.flatMap(({ name, digest, grouped, everyone }) => {
        const pinned = everyone ? EVERYONE : grouped ? group : key;
        return pinned === "" || digest === null ? [] : [{ name, digest, pinned }];
      }),
    [listed, key, group],
  );
}

/** What is shown: the window and now, the same for the lanes, the overview and the canvas. */
function useView(shown: readonly Asked[]) {
  const clock = useClock();
  const lanes = useLanes((state) => state.lanes);
  const past = useLanes((state) => state.past);
  const paused = useLanes((state) => state.pausedAt);
  const span = useLanes((state) => state.span);
  const held = useLanes((state) => state.held);
  const all = useMemo(() => reckoned({ lanes, past }, shown), [lanes, past, shown]);
  const { now, follows } = edge(all, paused ?? Math.max(clock, 0));
  const { start, end } = held ?? following(span, all, now);
  const view = useMemo(() => ({ window: { start, end }, now }), [start, end, now]);
  useEffect(() => show(view), [view]);
  return { lanes, all, now, follows, view };
}

/** The nodes whose keys can be asked. */
function withKeys({ name, digest, grouped, everyone }: Listed): KeysNode[] {
  return digest === null || everyone ? [] : [{ name, digest, grouped }];
}

/** The node whose keys are asked at first: the selected one, else the last that says true or false. */
function offered(listed: readonly Listed[]): string {
  const { selected } = useStudio.getState();
  const { lanes } = useLanes.getState();
  const some = listed.filter((one) => one.digest !== null && !one.everyone);
  const chosen = some.find((one) => selected.includes(one.name));
  return (chosen ?? some.findLast((one) => lanes[one.name]?.kind === "bool") ?? some.at(-1))?.name ?? "";
}

function Empty({ drawn }: { drawn: boolean }) {
  const running = useStudio((state) => state.plan?.running ?? false);
  const appear = "as soon as it has a key, every node's timeline appears here.";
  return (
    <p className="faint lanes-empty">
      {!drawn && "The timelines of the plan's nodes appear here."}
      {drawn && (running ? `The plan runs; ${appear}` : `Run the plan; ${appear}`)}
    </p>
  );
}

/** What the overview shows. */
function useStrips(shown: readonly Asked[], lanes: Readonly<Record<string, Lane>>): Lane[] {
  const nears = useNears();
  return useMemo(
    () => overviewed(shown, nears).flatMap(({ name }) => lanes[name] ?? []),
    [shown, nears, lanes],
  );
}

function Followed({ shown }: { shown: readonly Asked[] }) {
  const nears = useNears();
  const names = useStudio((state) => state.selected);
  const selected = useMemo(() => new Set(names), [names]);
  return followed(shown, nears, selected).map((one) => <Follow key={one.name} {...one} />);
}

function Many({ lanes }: { lanes: number }) {
  return (
    <p className="faint lanes-many" data-testid="lanes-many">
      {lanes} lanes. Followed are those in sight here, and those of the nodes that are selected on the canvas.
    </p>
  );
}

function Lanes() {
  const listed = useListed();
  const shown = useShown(listed);
  const { lanes, all, now, follows, view } = useView(shown);
  const { window } = view;
  const strips = useStrips(shown, lanes);
  const then = useThen((state) => state.open);
  const keys = useKeysPanel((state) => state.open);
  const place = useRef<HTMLDivElement>(null);
  const drawn = useSettled(view);
  const why = useCallback(
    (name: string, at: number) => {
      const asked = shown.find((one) => one.name === name);
      if (asked && (useLanes.getState().lanes[name]?.pieces.length ?? 0) > 0) askWhy(asked, at);
    },
    [shown],
  );
  return (
    <>
      {keys && (
        <KeysPanel nodes={listed.flatMap(withKeys)} first={offered(listed)} close={() => askKeys(false)} />
      )}
      <LanesToolbar now={now} follows={follows} pauseAt={wallClock}>
        <Choosers listed={listed} />
        <button
          type="button"
          data-testid="keys"
          aria-pressed={keys}
          disabled={shown.length === 0}
          onClick={() => askKeys(!keys)}
        >
          Keys
        </button>
      </LanesToolbar>
      <Followed shown={shown} />
      {then && shown.length > 0 && <ThenBar shown={shown} />}
      {shown.length > 0 && (
        <Overview lanes={strips} of={shown.length} range={whole(all, now)} window={window} now={now} />
      )}
      {shown.length > MOST_FOLLOWED && <Many lanes={shown.length} />}
      <div
        className="lanes-scroll"
        data-testid="lanes"
        ref={place}
        {...useGestures(place, why)}
        onKeyDown={onLaneKey}
      >
        {shown.length > 0 && <TimeAxis window={window} />}
        {shown.length > 0 && <EventRows view={drawn} />}
        {shown.map((one) => (
          <LaneRow key={one.name} asked={one} lane={lanes[one.name] ?? EMPTY} view={drawn} now={now} />
        ))}
        {shown.length === 0 && <Empty drawn={listed.length > 0} />}
      </div>
    </>
  );
}

export function LanesDock() {
  const [height, setHeight] = useHeight();
  return (
    <section className="lanes" aria-label="Lanes" style={{ height }}>
      <Resizer height={height} setHeight={setHeight} />
      <Lanes />
    </section>
  );
}
