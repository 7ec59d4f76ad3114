import { Handle, Position, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import type { InputPort, Operator, OutputKind, Problem } from "../../core/api/types";
import { captionOf } from "../../core/graph/caption";
import { heightOf } from "../../core/graph/geometry";
import { findHiddenStream, outputKind } from "../../core/graph/kinds";
import { memoizeLast } from "../../core/graph/memo";
import { refusesWire } from "../../core/graph/wiring";
import { describeRequirement } from "../../core/graph/required";
import { NodeParts } from "./nodeParts";
import { renameNode } from "./edits";
import { NodeName } from "./NodeName";
import { useOverlay } from "./overlay";
import { selectUnappliedChanges } from "./unappliedChanges";
import { StatusDot, StatusLine, useObserved } from "./StatusLine";
import { documentOf, get, problemsOf, useStudio } from "./store";
import { fitOf } from "./view";

/** Why the port would refuse the wire that is being drawn, or null. */
function useRefusal(node: string, port: string): string | null {
  const drawn = useOverlay((overlay) => overlay.drawn);
  if (drawn === null) return null;
  if (drawn.port !== null) return drawn.from === node ? null : "Connect it to an output.";
  return refusesWire(documentOf(get()), { from: drawn.from, to: node, port }, get());
}

function useOutputRefusal(node: string): string | null {
  const drawn = useOverlay((overlay) => overlay.drawn);
  if (drawn === null || drawn.port === null) return null;
  return refusesWire(documentOf(get()), { from: node, to: drawn.from, port: drawn.port }, get());
}

function Port({ node, operator, port }: { node: string; operator: Operator; port: InputPort }) {
  const refusal = useRefusal(node, port.name);
  const kind = port.kinds.length === 1 ? port.kinds[0] : "any";
  const needed = describeRequirement(operator, port);
  return (
    <div className={`port ${refusal === null ? "" : "refuses"}`} data-refusal={refusal ?? undefined}>
      <Handle
        type="target"
        id={port.name}
        position={Position.Left}
        className={`handle kind-${kind}`}
        data-testid={`port-${node}-${port.name}`}
        title={`${port.title}: takes ${port.kinds.join(" or ")}${port.many ? ", several" : ""}`}
      />
      <span>
        {port.title}
        {port.many && <i className="faint"> several</i>}
        {needed !== "" && <i className="faint"> {needed}</i>}
      </span>
      {refusal !== null && <span className="why">{refusal}</span>}
    </div>
  );
}

const NONE: readonly string[] = [];

function Output({ node, kind }: { node: string; kind: OutputKind }) {
  const refusal = useOutputRefusal(node);
  const hidden = useStudio((state) =>
    findHiddenStream(documentOf(state), node, state.operators, state.plan?.not_shared ?? NONE),
  );
  return (
    <div className={`port out ${refusal === null ? "" : "refuses"}`}>
      <span className="faint">{hidden === null ? kind : "not shared"}</span>
      <Handle
        type="source"
        id="out"
        position={Position.Right}
        className={`handle kind-${kind}`}
        data-testid={`out-${node}`}
        title={
          hidden === null
            ? `gives ${kind}`
            : `its output type is hidden: the stream ${hidden} is not shared with you`
        }
      />
      {refusal !== null && <span className="why">{refusal}</span>}
    </div>
  );
}

const problemsByNode = memoizeLast((problems: readonly Problem[]) => {
  const found = new Map<string | null, Problem[]>();
  for (const problem of problems) found.set(problem.node, [...(found.get(problem.node) ?? []), problem]);
  return found;
});

function Problems({ node }: { node: string }) {
  const problems = useStudio((state) => problemsByNode(problemsOf(state)).get(node));
  if (!problems) return null;
  const worst = problems.some((problem) => problem.severity !== "warning") ? "error" : "warning";
  const words = problems.map((problem) => problem.message).join("\n");
  return (
    <span className={`badge ${worst}`} title={words} role="img" aria-label={`${problems.length} problems`}>
      {problems.length}
    </span>
  );
}

/** No node says more of its state than this. */
const MOST_LINES = 6;

export const OperatorNode = memo(function OperatorNode({ id, selected }: NodeProps) {
  const { observed } = useObserved(id);
  const lit = useOverlay((overlay) => overlay.lit.nodes.has(id));
  const node = useStudio((state) => documentOf(state).nodes[id]);
  const operator = useStudio((state) => state.operators.get(node?.op ?? ""));
  const kind = useStudio((state) => outputKind(documentOf(state), id, state.operators, state.streams));
  const running = useStudio((state) => state.plan?.running ?? false);
  const differs = useStudio((state) => selectUnappliedChanges(state).nodes.has(id));
  const strip = useStudio((state) => fitOf(state, id).strip);
  const lines = useStudio((state) => Math.min(MOST_LINES, fitOf(state, id).lines));
  const caption = useStudio((state) => captionOf(documentOf(state), id, state));
  if (!node) return null;
  return (
    <div
      className={`node ${selected ? "selected" : ""} ${lit ? "lit" : ""} ${differs ? "pending" : ""}`}
      style={{ minHeight: heightOf(operator) }}
      data-testid={`node-${id}`}
      data-status={observed}
    >
      <NodeParts of="presence" name={id} />
      <header className={`edge-${kind}`}>
        {running && lines === 0 && <StatusDot name={id} />}
        <span className="node-title">{operator?.title ?? node.op}</span>
        <Problems node={id} />
      </header>
      <NodeName name={id} rename={(name) => renameNode(id, name)} />
      <p className="node-said" title={caption}>
        {node.stream && <b>{node.stream}</b>} {caption}
      </p>
      <div className="ports">
        <div>
          {operator?.inputs.map((port) => (
            <Port key={port.name} node={id} operator={operator} port={port} />
          ))}
        </div>
        <Output node={id} kind={kind} />
      </div>
      {strip && <NodeParts of="strip" name={id} />}
      {running && lines > 0 && <StatusLine name={id} lines={lines} />}
    </div>
  );
});
