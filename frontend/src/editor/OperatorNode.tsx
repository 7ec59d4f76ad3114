import { Handle, Position, useConnection, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import type { InputPort, OutputKind } from "../api/types";
import { PeopleAt } from "../drafts/People";
import { outputKind } from "../graph/kinds";
import { spell } from "../graph/values";
import { refusesWire } from "../graph/wiring";
import { NodeStrip } from "../lanes/NodeStrip";
import { useWhy } from "../why/store";
import { renameNode } from "./edits";
import { NodeName } from "./NodeName";
import { StatusLine, useObserved } from "./StatusLine";
import { documentOf, problemsOf, useStudio } from "./store";

/** The end from which a wire is being drawn, or null. */
function useDragged(): { from: string; port: string | null } | null {
  const end = useConnection((c) =>
    c.inProgress
      ? `${c.fromHandle.type === "target" ? (c.fromHandle.id ?? "") : ""}\n${c.fromNode.id}`
      : null,
  );
  if (end === null) return null;
  const [port = "", from = ""] = end.split("\n");
  return { from, port: port === "" ? null : port };
}

function Port({ node, port }: { node: string; port: InputPort }) {
  const dragged = useDragged();
  const state = useStudio();
  const refusal =
    dragged === null
      ? null
      : dragged.port !== null
        ? "Draw it to an output."
        : refusesWire(documentOf(state), { from: dragged.from, to: node, port: port.name }, state);
  const kind = port.kinds.length === 1 ? port.kinds[0] : "any";
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
        {!port.required && <i className="faint"> optional</i>}
      </span>
      {refusal !== null && <span className="why">{refusal}</span>}
    </div>
  );
}

function Output({ node, kind }: { node: string; kind: OutputKind }) {
  const dragged = useDragged();
  const state = useStudio();
  const wire = dragged?.port != null ? { from: node, to: dragged.from, port: dragged.port } : null;
  const refusal = wire === null ? null : refusesWire(documentOf(state), wire, state);
  return (
    <div className={`port out ${refusal === null ? "" : "refuses"}`}>
      <span className="faint">{kind}</span>
      <Handle
        type="source"
        id="out"
        position={Position.Right}
        className={`handle kind-${kind}`}
        data-testid={`out-${node}`}
        title={`gives ${kind}`}
      />
      {refusal !== null && <span className="why">{refusal}</span>}
    </div>
  );
}

function Problems({ node }: { node: string }) {
  const state = useStudio();
  const problems = problemsOf(state).filter((problem) => problem.node === node);
  if (problems.length === 0) return null;
  const worst = problems.some((problem) => problem.severity !== "warning") ? "error" : "warning";
  const words = problems.map((problem) => problem.message).join("\n");
  return (
    <span className={`badge ${worst}`} title={words} aria-label={`${problems.length} problems`}>
      {problems.length}
    </span>
  );
}

export const OperatorNode = memo(function OperatorNode({ id, selected }: NodeProps) {
  const state = useStudio();
  const { observed } = useObserved(id);
  const lit = useWhy((why) => why.path.nodes.has(id));
  const document = documentOf(state);
  const node = document.nodes[id];
  if (!node) return null;
  const operator = state.operators.get(node.op);
  const kind = outputKind(document, id, state.operators, state.streams);
  const said = Object.values(node.params ?? {})
    .map(spell)
    .join(", ");
  return (
    <div
      className={`node ${selected ? "selected" : ""} ${lit ? "lit" : ""}`}
      data-testid={`node-${id}`}
      data-status={observed}
    >
      <PeopleAt node={id} />
      <header className={`edge-${kind}`}>
        <span className="node-title">{operator?.title ?? node.op}</span>
        <Problems node={id} />
      </header>
      <NodeName name={id} rename={(name) => renameNode(id, name)} />
      <p className="node-said" title={said}>
        {node.stream && <b>{node.stream}</b>} {said}
      </p>
      <div className="ports">
        <div>
          {operator?.inputs.map((port) => (
            <Port key={port.name} node={id} port={port} />
          ))}
        </div>
        <Output node={id} kind={kind} />
      </div>
      <NodeStrip name={id} />
      {state.plan?.running && <StatusLine name={id} />}
    </div>
  );
});
