import { useMemo } from "react";
import { digestOf, isKnown } from "../editor/applied";
import { documentOf, useStudio } from "../editor/store";
import { inOrder } from "../graph/arrange";
import { everyoneNodes, groupedNodes } from "../graph/kinds";
import { emptyWords } from "./empty";
import { LanesView, type Listed } from "./LanesView";
import { Resizer, useHeight } from "./Resizer";

/** Nodes in the order of the data, with the digests under which their timelines are found. */
function useListed(): Listed[] {
  const history = useStudio((state) => state.history);
  const operators = useStudio((state) => state.operators);
  const plan = useStudio((state) => state.plan);
  const told = useStudio((state) => state.told);
  return useMemo(() => {
    const known = { history, plan, told };
    const document = documentOf(known);
    const grouped = groupedNodes(document, operators);
    const everyone = everyoneNodes(document, operators);
    return inOrder(document).map((name) => ({
      name,
      digest: isKnown(known, name) ? digestOf(known, name) : null,
      grouped: grouped.has(name),
      everyone: everyone.has(name),
    }));
  }, [history, operators, plan, told]);
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
      ? (checkFailure ?? "Looking for what is known of it…")
      : emptyWords(plan, me),
  );
  return drawn ? words : "The timelines of the plan's nodes appear here.";
}

function Lanes() {
  const listed = useListed();
  const selected = useStudio((state) => state.selected);
  const results = useStudio((state) => documentOf(state).results);
  const streams = useStreams();
  const hidden = useStudio(({ plan }) => plan?.not_shared ?? NONE);
  const empty = useEmptyWords(listed.length > 0);
  return (
    <LanesView
      listed={listed}
      selected={selected}
      results={results}
      streams={streams}
      hidden={hidden}
      empty={empty}
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
