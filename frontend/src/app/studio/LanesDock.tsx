import { useMemo } from "react";
import { digestOf, isKnown, statusOf } from "../../plans/editor/runningNodes";
import { documentOf, useStudio } from "../../plans/editor/store";
import { sortTopologically } from "../../core/graph/arrange";
import { selectEveryoneNodes, selectGroupedNodes } from "../../core/graph/kinds";
import { StillRunningNote } from "./StillRunningNote";
import { describeEmpty, describeStanding } from "../../live/empty";
import { LanesView } from "../../live/LanesView";
import { selectKeySource, type ListedNode, type Sought } from "../../core/search/keySource";
import { Resizer, useHeight } from "../../core/ui/Resizer";

/** Nodes in the order of the data, with the digests under which their timelines are found. */
function useListed(): ListedNode[] {
  const history = useStudio((state) => state.history);
  const operators = useStudio((state) => state.operators);
  const plan = useStudio((state) => state.plan);
  const checkedNodes = useStudio((state) => state.checkedNodes);
  return useMemo(() => {
    const known = { history, plan, checkedNodes };
    const document = documentOf(known);
    const grouped = selectGroupedNodes(document, operators);
    const everyone = selectEveryoneNodes(document, operators);
    return sortTopologically(document).map((name) => ({
      name,
      digest: isKnown(known, name) ? digestOf(known, name) : null,
      grouped: grouped.has(name),
      everyone: everyone.has(name),
      sequence: document.nodes[name]?.op === "sequence",
    }));
  }, [history, operators, plan, checkedNodes]);
}

/** The streams that the plan reads. */
function useStreams(): string[] {
  const { nodes } = useStudio(documentOf);
  return useMemo(
    () => [...new Set(Object.values(nodes).flatMap(({ stream }) => stream ?? []))].sort(),
    [nodes],
  );
}

function useEmptyWords(drawn: boolean): string {
  const words = useStudio(({ plan, me, check, checkFailure }) =>
    check === null && plan !== null && !plan.running
      ? (checkFailure ?? "Loading timelines…")
      : describeEmpty(plan, me),
  );
  return drawn ? words : "The timelines of the plan's nodes appear here.";
}

/** Why the node whose keys are offered has none yet. */
function useStands(sought: Sought): string | null {
  const name = (selectKeySource(sought, false) ?? selectKeySource(sought, true))?.name;
  return useStudio((state) => {
    const status = name === undefined ? undefined : statusOf(state, name);
    return state.plan?.running && name !== undefined && status ? describeStanding(name, status) : null;
  });
}

function Lanes() {
  const listed = useListed();
  const selected = useStudio((state) => state.selected);
  const results = useStudio((state) => documentOf(state).results);
  const streams = useStreams();
  const hidden = useStudio(({ plan }) => plan?.not_shared ?? NONE);
  const empty = useEmptyWords(listed.length > 0);
  const stands = useStands({ listed, selected, results });
  return (
    <LanesView
      listed={listed}
      selected={selected}
      results={results}
      streams={streams}
      hidden={hidden}
      empty={empty}
      stands={stands}
      note={<StillRunningNote />}
    />
  );
}

const NONE: readonly string[] = [];

export function LanesDock() {
  const [height, setHeight] = useHeight();
  return (
    <section className="lanes" aria-label="Lanes" style={{ height }}>
      <Resizer height={height} setHeight={setHeight} />
      <Lanes />
    </section>
  );
}
