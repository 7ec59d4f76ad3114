import { useMemo, useState } from "react";
import { digestOf, documentOf, useStudio } from "../editor/store";
import { inOrder } from "../graph/arrange";
import { everyoneNodes, groupedNodes } from "../graph/kinds";
import { ask } from "../why/store";
import { Follow } from "./Follow";
import { KeyChooser } from "./KeyChooser";
import { edge, EMPTY, firstChange } from "./lane";
import { LaneRow } from "./LaneRow";
import { LanesToolbar } from "./LanesToolbar";
import { Resizer, useHeight } from "./Resizer";
import { wallClock, pin, useLanes, type LanesState, type Span } from "./store";
import type { Window } from "./spans";
import { TimeAxis } from "./TimeAxis";
import { useClock } from "./useClock";

const MINUTE = 60_000_000;
const LENGTHS: Readonly<Record<Exclude<Span, "all">, number>> = {
  "1m": MINUTE,
  "5m": 5 * MINUTE,
  "15m": 15 * MINUTE,
  "1h": 60 * MINUTE,
};
const ROOM = 0.02;

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
      digest: digestOf(known, name),
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

function windowOf(state: LanesState, now: number): Window {
  if (state.held) return state.held;
  const lanes = Object.values(state.lanes);
  const first = firstChange(lanes) ?? now - LENGTHS["5m"];
  const length = state.span === "all" ? Math.max(now - first, MINUTE / 60) * (1 + ROOM) : LENGTHS[state.span];
  return { start: now - length, end: now + length * ROOM };
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

interface RowsProps {
  listed: readonly Listed[];
  pinned: (one: Listed) => string;
  window: Window;
  now: number;
}

function Rows({ listed, pinned, window, now }: RowsProps) {
  const plan = useStudio((state) => state.plan?.id ?? null);
  const [pointed, point] = useState<string | null>(null);
  const lanes = useLanes((state) => state.lanes);
  const cursor = useLanes((state) => state.cursor);
  const common = { window, now, cursor, point };
  return listed.map((one) => (
    <LaneRow
      key={one.name}
      name={one.name}
      lane={lanes[one.name] ?? EMPTY}
      pointed={pointed === one.name}
      why={(at) =>
        void ask({ name: one.name, digest: one.digest ?? "", key: pinned(one), at: Math.round(at), plan })
      }
      {...common}
    />
  ));
}

function Lanes() {
  const listed = useListed();
  const clock = useClock();
  const state = useLanes();
  const wall = state.pausedAt ?? Math.max(clock, 0);
  const { now, follows } = edge(Object.values(state.lanes), wall);
  const { start, end } = windowOf(state, now);
  const window = useMemo(() => ({ start, end }), [start, end]);
  const pinned = ({ grouped, everyone }: Listed): string =>
    everyone ? EVERYONE : grouped ? state.group : state.key;
  const shown = listed.filter((one) => pinned(one) !== "" && one.digest !== null);
  return (
    <>
      <LanesToolbar now={now} follows={follows} pauseAt={wallClock}>
        <Choosers listed={listed} />
      </LanesToolbar>
      {shown.map((one) => (
        <Follow key={one.name} name={one.name} digest={one.digest ?? ""} pinned={pinned(one)} />
      ))}
      <div className="lanes-scroll" data-testid="lanes">
        {shown.length > 0 && <TimeAxis window={window} />}
        <Rows listed={shown} pinned={pinned} window={window} now={now} />
        {shown.length === 0 && (
          <p className="faint lanes-empty">
            {listed.length === 0
              ? "The timelines of the plan's nodes appear here."
              : "Run the plan; as soon as it has a key, every node's timeline appears here."}
          </p>
        )}
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
