import "../styles/lanes.css";
import "../styles/keys.css";
import "../styles/why.css";
import { useMemo } from "react";
import type { NodeDetail } from "../api/types";
import { standWords } from "../lanes/empty";
import { LanesView } from "../lanes/LanesView";
import { WhyPanel } from "../why/WhyPanel";
import { nameOf } from "./nodeUsers";

/** Its timeline for a key: live, as it was known at any time, and why. */
export function NodeLanes({ node }: { node: NodeDetail }) {
  const { digest } = node;
  const name = nameOf(node);
  const listed = useMemo(() => [{ name, digest, grouped: false, everyone: false }], [name, digest]);
  const wanted = node.status.desired === "running";
  const empty = wanted
    ? "Its timeline appears here once it has a result for a key."
    : "No data: it has no results and does not run.";
  return (
    <section className="card node-lanes" aria-label="Timeline" data-testid="node-lanes">
      <LanesView
        listed={listed}
        selected={NONE}
        results={undefined}
        streams={NONE}
        hidden={NONE}
        empty={empty}
        stands={wanted ? standWords(name, node.status) : null}
      />
      <WhyPanel />
    </section>
  );
}

const NONE: readonly string[] = [];
