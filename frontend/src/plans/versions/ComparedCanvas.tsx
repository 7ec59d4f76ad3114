import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import { useEffect, useMemo } from "react";
import type { Compared } from "../../core/api/versions";
import { useDark } from "../../core/ui/theme";
import { useStudio } from "../editor/store";
import { buildMarkedDocument, describeWireChange, wordsOf, type MarkedNode, type MarkedWire } from "./marks";
import { openVersion, useVersions } from "./store";

type ComparedData = { node: MarkedNode };

function ComparedNode({ data }: NodeProps<Node<ComparedData>>) {
  const { node } = data;
  const title = useStudio((state) => state.operators.get(node.op)?.title ?? node.op);
  const looked = useVersions((state) => state.looked?.name === node.name);
  const words = wordsOf(node);
  return (
    <div
      className={`compared-node ${node.did.map((one) => `did-${one}`).join(" ")} ${looked ? "looked" : ""}`}
      data-testid={`compared-${node.name}`}
      data-did={node.did.join(" ")}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <p className="faint">{title}</p>
      <b>{node.name}</b>
      <p className="node-said">{node.said}</p>
      {words && <span className="did">{words}</span>}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

function Ghost({ data }: NodeProps<Node<{ name: string }>>) {
  return <div className="ghost">{data.name} was here</div>;
}

const NODE_TYPES = { compared: ComparedNode, ghost: Ghost };

function flowNodes(nodes: readonly MarkedNode[]): Node[] {
  const there = nodes.map((node): Node => ({
    id: node.name,
    type: "compared",
    position: { x: node.at[0], y: node.at[1] },
    data: { node },
    ariaLabel: [node.name, wordsOf(node)].filter(Boolean).join(": "),
  }));
  const ghosts = nodes.flatMap(({ name, before }): Node[] =>
    before
      ? [
          {
            id: `was ${name}`,
            type: "ghost",
            position: { x: before[0], y: before[1] },
            data: { name },
            focusable: false,
            zIndex: -1,
          },
        ]
      : [],
  );
  return [...ghosts, ...there];
}

const edgeOf = (wire: MarkedWire): Edge => ({
  id: `${wire.from}>${wire.to}.${wire.port}`,
  source: wire.from,
  target: wire.to,
  className: `compared-wire ${wire.did ?? ""}`,
  label: describeWireChange(wire) ?? undefined,
  focusable: false,
});

function useLooking(): void {
  const looked = useVersions((state) => state.looked);
  const flow = useReactFlow();
  useEffect(() => {
    if (looked) void flow.fitView({ nodes: [{ id: looked.name }], maxZoom: 1, duration: 200 });
  }, [looked, flow]);
}

function Picture({ compared }: { compared: Compared }) {
  const dark = useDark();
  const operators = useStudio((state) => state.operators);
  const { nodes, edges } = useMemo(() => {
    const markedDocument = buildMarkedDocument(compared, operators);
    return { nodes: flowNodes(markedDocument.nodes), edges: markedDocument.wires.map(edgeOf) };
  }, [compared, operators]);
  useLooking();
  return (
    <ReactFlow
      defaultNodes={nodes}
      defaultEdges={edges}
      nodeTypes={NODE_TYPES}
      colorMode={dark ? "dark" : "light"}
      fitView
      fitViewOptions={{ maxZoom: 1 }}
      minZoom={0.1}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesReconnectable={false}
      deleteKeyCode={null}
      onNodeClick={(_event, node) => node.type === "compared" && openVersion(node.id)}
    >
      <Background gap={16} />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

/** Both versions on one canvas, with what differs marked by colour, line and word. */
export function ComparedCanvas({ compared }: { compared: Compared }) {
  const key = [compared.from.number, compared.to.number, compared.to.made_at].join(" ");
  return (
    <div className="compared-canvas" data-testid="compared-canvas">
      <ReactFlowProvider>
        <Picture key={key} compared={compared} />
      </ReactFlowProvider>
    </div>
  );
}
