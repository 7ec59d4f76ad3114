/** Nodes as React Flow draws them: from the document, with what is only on the screen (drag, size). */
import { Position as Side, type Node, type NodeChange, type NodeHandle } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import type { Operator, PlanDocument } from "../../core/api/types";
import { commentsOf, groupsOf, sizeOf } from "../../core/graph/drawing";
import type { Position } from "../../core/graph/position";
import {
  COMMENT,
  placeComments,
  frameOf,
  GROUP,
  heightOf,
  NODE_WIDTH,
  numberOf,
  portHeight,
} from "../../core/graph/geometry";
import { moveAll } from "./selectionActions";
import { select } from "./edits";
import { documentOf, get, useStudio } from "./store";
import { boxOf, placesOf } from "./view";

type Size = { width: number; height: number };
type Places = Readonly<Record<string, Position>>;

interface Scene {
  document: PlanDocument;
  operators: ReadonlyMap<string, Operator>;
  selected: ReadonlySet<string>;
  moving: Places;
  sizes: Readonly<Record<string, Size>>;
}

const HALF = 6;

/** Where the ports are, told beforehand: a wire is drawn before its nodes are measured, or seen. */
function handlesOf(operator: Operator | undefined): NodeHandle[] {
  const size = { width: 2 * HALF, height: 2 * HALF };
  const inputs = (operator?.inputs ?? []).map(({ name }, i): NodeHandle => ({
    ...size,
    id: name,
    type: "target",
    position: Side.Left,
    x: 1 - HALF,
    y: portHeight(i) - HALF,
  }));
  const x = NODE_WIDTH - 1 - HALF;
  return [
    ...inputs,
    { ...size, id: "out", type: "source", position: Side.Right, x, y: portHeight(0) - HALF },
  ];
}

function operatorNodes({ document, operators, selected, moving, sizes }: Scene): Node[] {
  const places = placesOf(document);
  return Object.entries(document.nodes).map(([id, { op }]): Node => {
    const [x, y] = moving[id] ?? places[id] ?? [0, 0];
    const operator = operators.get(op);
    const measured = sizes[id] ?? { width: NODE_WIDTH, height: heightOf(operator) };
    const isSelected = selected.has(id);
    return {
      id,
      type: "operator",
      position: { x, y },
      data: { op },
      measured,
      handles: handlesOf(operator),
      selected: isSelected,
      zIndex: isSelected ? 2 : 1,
    };
  });
}

function frames(document: PlanDocument, nodes: readonly Node[], selected: ReadonlySet<string>): Node[] {
  const byName = new Map(nodes.map((node) => [node.id, node]));
  return groupsOf(document).flatMap((group, i): Node[] => {
    const boxes = group.nodes.flatMap((name) => {
      const { position, measured } = byName.get(name) ?? {};
      return position ? [{ id: name, ...position, width: NODE_WIDTH, height: measured?.height ?? 0 }] : [];
    });
    const frame = frameOf(boxes);
    if (!frame) return [];
    const { x, y, width, height } = frame;
    const id = `${GROUP}${i}`;
    const size = { width, height, measured: { width, height } };
    return [
      {
        id,
        type: "frame",
        position: { x, y },
        data: { index: i },
        ...size,
        selected: selected.has(id),
        zIndex: -1,
        connectable: false,
      },
    ];
  });
}

function notes({ document, selected, moving }: Scene): Node[] {
  const places = placeComments(document, placesOf(document));
  return commentsOf(document).map((comment, i): Node => {
    const id = `${COMMENT}${i}`;
    const [x, y] = moving[id] ?? places[i] ?? [0, 0];
    const [width, height] = sizeOf(comment);
    const size = { width, height, measured: { width, height } };
    const isSelected = selected.has(id);
    return {
      id,
      type: "comment",
      position: { x, y },
      data: { index: i },
      ...size,
      selected: isSelected,
      connectable: false,
    };
  });
}

function isSame(a: Node, b: Node): boolean {
  return (
    a.position.x === b.position.x &&
    a.position.y === b.position.y &&
    a.selected === b.selected &&
    a.type === b.type &&
    a.data.op === b.data.op &&
    a.handles?.length === b.handles?.length &&
    a.measured?.width === b.measured?.width &&
    a.measured?.height === b.measured?.height
  );
}

/** Builds the nodes of a scene; one that is as before is the very same object, so that it is not drawn again. */
function builder(): (scene: Scene) => Node[] {
  let before = new Map<string, Node>();
  return (scene) => {
    const nodes = operatorNodes(scene);
    const all = [...frames(scene.document, nodes, scene.selected), ...notes(scene), ...nodes].map((node) => {
      const held = before.get(node.id);
      return held && isSame(held, node) ? held : node;
    });
    before = new Map(all.map((node) => [node.id, node]));
    return all;
  };
}

/** The places of all that moves with a thing that is dragged: a group takes its nodes along. */
function movedBy(id: string, to: Position): Record<string, Position> {
  const group = numberOf(id, GROUP);
  if (group === null) return { [id]: to };
  const state = get();
  const frame = boxOf(state, id);
  const document = documentOf(state);
  const places = placesOf(document);
  if (!frame) return {};
  return Object.fromEntries(
    (groupsOf(document)[group]?.nodes ?? []).map((name): [string, Position] => {
      const [x, y] = places[name] ?? [0, 0];
      return [name, [x + to[0] - frame.x, y + to[1] - frame.y]];
    }),
  );
}

export function useFlowNodes() {
  const document = useStudio(documentOf);
  const operators = useStudio((state) => state.operators);
  const selected = useStudio((state) => state.selected);
  const [moving, setMoving] = useState<Places>({});
  const [sizes, setSizes] = useState<Readonly<Record<string, Size>>>({});
  const [build] = useState(builder);
  const nodes = useMemo(
    () => build({ document, operators, selected: new Set(selected), moving, sizes }),
    [build, document, operators, selected, moving, sizes],
  );
  const onNodesChange = useCallback((changes: NodeChange[]) => {
    const picked = new Set(get().selected);
    const sized: Record<string, Size> = {};
    let moved: Record<string, Position> = {};
    for (const change of changes) {
      if (change.type === "dimensions" && change.dimensions && change.id in documentOf(get()).nodes)
        sized[change.id] = change.dimensions;
      else if (change.type === "position" && change.position && change.dragging)
        moved = { ...moved, ...movedBy(change.id, [change.position.x, change.position.y]) };
      else if (change.type === "select" && change.selected) picked.add(change.id);
      else if (change.type === "select") picked.delete(change.id);
    }
    if (Object.keys(sized).length > 0) setSizes((held) => ({ ...held, ...sized }));
    if (Object.keys(moved).length > 0) setMoving((held) => ({ ...held, ...moved }));
    select([...picked]);
  }, []);
  const drop = useCallback((dragged: readonly Node[]) => {
    const places = dragged.map((one) => movedBy(one.id, [one.position.x, one.position.y]));
    moveAll(Object.assign({}, ...places) as Record<string, Position>);
    setMoving({});
  }, []);
  return { nodes, onNodesChange, drop, release: useCallback(() => setMoving({}), []) };
}
