import {
  Background,
  Controls,
  MiniMap,
  ReactFlow,
  useReactFlow,
  type Connection,
  type Edge,
  type EdgeChange,
  type Node,
  type NodeChange,
} from "@xyflow/react";
import { useCallback, useEffect, useMemo, useState, type DragEvent } from "react";
import type { PlanDocument } from "../api/types";
import { positions } from "../graph/arrange";
import { wires, type Wire } from "../graph/document";
import type { Position } from "../graph/edit";
import { outputKind } from "../graph/kinds";
import { refusesWire, type Catalogue } from "../graph/wiring";
import { useWhy } from "../why/store";
import { addNode, connect, moveNodes, removeAll, rewire, select } from "./edits";
import { OperatorNode } from "./OperatorNode";
import { documentOf, get, useStudio } from "./store";

export const DRAGGED_OPERATOR = "application/x-timeline-operator";
// Room on the right for the overview, which a narrow canvas does not have (studio.css).
const FIT = { maxZoom: 1, padding: { top: "6.5%", bottom: "6.5%", left: "6.5%", right: "17%" } } as const;
const OVERVIEW = { width: 104, height: 64 };
const NODE_TYPES = { operator: OperatorNode };

type Size = { width: number; height: number };

function wireOf(connection: Connection | Edge): Wire {
  return { from: connection.source, to: connection.target, port: connection.targetHandle ?? "" };
}

function edgesOf(
  document: PlanDocument,
  catalogue: Catalogue,
  picked: ReadonlySet<string>,
  lit: ReadonlySet<string>,
): Edge[] {
  return wires(document)
    .filter((wire) => wire.from in document.nodes)
    .map((wire) => {
      const id = `${wire.from}>${wire.to}.${wire.port}`;
      const kind = outputKind(document, wire.from, catalogue.operators, catalogue.streams);
      const ends = { source: wire.from, sourceHandle: "out", target: wire.to, targetHandle: wire.port };
      const className = `wire wire-${kind} ${lit.has(`${wire.from}>${wire.to}`) ? "lit" : ""}`;
      return { id, ...ends, className, selected: picked.has(id) };
    });
}

/** Nodes as React Flow draws them: from the document, with what is only on the screen (drag, size). */
function useFlowNodes() {
  const document = useStudio(documentOf);
  const selected = useStudio((state) => state.selected);
  const [moving, setMoving] = useState<Record<string, Position>>({});
  const [sizes, setSizes] = useState<Record<string, Size>>({});
  const nodes = useMemo(() => {
    const places = { ...positions(document), ...moving };
    return Object.keys(document.nodes).map((id): Node => {
      const [x, y] = places[id] ?? [0, 0];
      const measured = sizes[id];
      return {
        id,
        type: "operator",
        position: { x, y },
        data: {},
        measured,
        selected: selected.includes(id),
      };
    });
  }, [document, moving, sizes, selected]);
  const onNodesChange = useCallback((changes: NodeChange[]) => {
    const picked = new Set(get().selected);
    for (const change of changes) {
      if (change.type === "dimensions" && change.dimensions) {
        const size = change.dimensions;
        setSizes((held) => ({ ...held, [change.id]: size }));
      } else if (change.type === "position" && change.position && change.dragging) {
        const { x, y } = change.position;
        setMoving((held) => ({ ...held, [change.id]: [x, y] }));
      } else if (change.type === "select") {
        if (change.selected) picked.add(change.id);
        else picked.delete(change.id);
      }
    }
    select([...picked]);
  }, []);
  const drop = useCallback((_event: unknown, _node: Node, dragged: Node[]) => {
    moveNodes(Object.fromEntries(dragged.map((one) => [one.id, [one.position.x, one.position.y]])));
    setMoving({});
  }, []);
  return { nodes, onNodesChange, drop };
}

function useEdges() {
  const document = useStudio(documentOf);
  const operators = useStudio((state) => state.operators);
  const streams = useStudio((state) => state.streams);
  const lit = useWhy((why) => why.path.wires);
  const [picked, setPicked] = useState<readonly string[]>([]);
  const edges = useMemo(
    () => edgesOf(document, { operators, streams }, new Set(picked), lit),
    [document, operators, streams, picked, lit],
  );
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    const touched = changes.filter((one) => one.type === "select");
    const others = (held: readonly string[]) => held.filter((id) => touched.every((one) => one.id !== id));
    setPicked((held) => [...others(held), ...touched.filter((one) => one.selected).map((one) => one.id)]);
  }, []);
  return { edges, onEdgesChange };
}

function useFocus() {
  const focus = useStudio((state) => state.focus);
  const flow = useReactFlow();
  useEffect(() => {
    if (focus) void flow.fitView({ nodes: [{ id: focus.node }], maxZoom: 1, duration: 200 });
  }, [focus, flow]);
}

export function Canvas() {
  const { nodes, onNodesChange, drop } = useFlowNodes();
  const { edges, onEdgesChange } = useEdges();
  // A plan that has nodes is shown whole at first; the first node of an empty one stays where it was put.
  const [fits] = useState(nodes.length > 0);
  const flow = useReactFlow();
  useFocus();
  const onDrop = (event: DragEvent) => {
    const name = event.dataTransfer.getData(DRAGGED_OPERATOR);
    if (name === "") return;
    event.preventDefault();
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    addNode(name, [x - 24, y - 16]);
  };
  return (
    <div
      className="canvas"
      data-testid="canvas"
      onDrop={onDrop}
      onDragOver={(event) => event.preventDefault()}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        colorMode="system"
        fitView={fits}
        fitViewOptions={FIT}
        minZoom={0.2}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onNodeDragStop={drop}
        onSelectionDragStop={(event, dragged) => drop(event, dragged[0] as Node, dragged)}
        isValidConnection={(link) => refusesWire(documentOf(get()), wireOf(link as Edge), get()) === null}
        onConnect={(link) => connect(wireOf(link))}
        onReconnect={(old, link) => rewire(wireOf(old), wireOf(link))}
        deleteKeyCode={["Delete", "Backspace"]}
        onBeforeDelete={async (gone) => {
          removeAll(
            gone.nodes.map((node) => node.id),
            gone.edges.map(wireOf),
          );
          return false;
        }}
      >
        <Background gap={16} />
        <Controls showInteractive={false} fitViewOptions={FIT} />
        <MiniMap pannable zoomable ariaLabel="Overview" style={OVERVIEW} />
      </ReactFlow>
      {nodes.length === 0 && (
        <p className="canvas-empty">Drag an operator here, or choose one and press Enter.</p>
      )}
    </div>
  );
}
