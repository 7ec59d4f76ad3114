/** Wires as React Flow draws them. */
import type { Edge, EdgeChange } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import type { PlanDocument } from "../../core/api/types";
import { listWires } from "../../core/graph/document";
import { outputKind } from "../../core/graph/kinds";
import type { Catalogue } from "../../core/graph/wiring";
import { RUNNING } from "../../core/graph/geometry";
import { memoizeLast } from "../../core/graph/memo";
import { findWireLanes, type Lane } from "../../core/graph/route";
import { setOverlay, getOverlay, useOverlay, wireId } from "./overlay";
import { documentOf, get, useStudio } from "./store";
import { placesOf, roomsOf } from "./view";

interface Scene extends Catalogue {
  document: PlanDocument;
  picked: ReadonlySet<string>;
  lit: ReadonlySet<string>;
  aimed: string | null;
  running: boolean;
}

/**
 * Reckoned anew when nodes, wires or places change; while something is dragged, its wires go straight. `rooms` of what runs:
 * there a node has its state below its ports.
 */
const lanesFor = memoizeLast(
  (
    nodes: PlanDocument["nodes"],
    places: ReturnType<typeof placesOf>,
    operators: Scene["operators"],
    rooms: ReadonlyMap<string, number> | null,
  ): ReadonlyMap<string, Lane> => {
    const more = (name: string): number => Math.min(RUNNING, rooms?.get(name) ?? 0);
    return findWireLanes({ document: { version: 1, name: "", nodes }, places, operators, more }, wireId);
  },
);

function edgesOf({ document, operators, streams, picked, lit, aimed, running }: Scene): Edge[] {
  const around = lanesFor(document.nodes, placesOf(document), operators, running ? roomsOf(get()) : null);
  return listWires(document)
    .filter((wire) => wire.from in document.nodes)
    .map((wire) => {
      const id = wireId(wire);
      const kind = outputKind(document, wire.from, operators, streams);
      const ends = { source: wire.from, sourceHandle: "out", target: wire.to, targetHandle: wire.port };
      const className = [
        `wire wire-${kind}`,
        lit.has(`${wire.from}>${wire.to}`) ? "lit" : "",
        aimed === id ? "aimed" : "",
      ]
        .filter(Boolean)
        .join(" ");
      const ariaLabel = `Wire from ${wire.from} to ${wire.to}, ${wire.port}`;
      return { id, ...ends, className, ariaLabel, selected: picked.has(id), data: { lane: around.get(id) } };
    });
}

function isSame(a: Edge, b: Edge): boolean {
  const [one, other] = [a.data?.lane, b.data?.lane] as (Lane | undefined)[];
  return (
    a.className === b.className &&
    a.selected === b.selected &&
    one?.y === other?.y &&
    one?.from === other?.from &&
    one?.to === other?.to
  );
}

function builder(): (scene: Scene) => Edge[] {
  let before = new Map<string, Edge>();
  return (scene) => {
    const all = edgesOf(scene).map((edge) => {
      const held = before.get(edge.id);
      return held && isSame(held, edge) ? held : edge;
    });
    before = new Map(all.map((edge) => [edge.id, edge]));
    return all;
  };
}

export function useFlowEdges() {
  const document = useStudio(documentOf);
  const operators = useStudio((state) => state.operators);
  const streams = useStudio((state) => state.streams);
  const lit = useOverlay((overlay) => overlay.lit.wires);
  const picked = useOverlay((overlay) => overlay.picked);
  const aimed = useOverlay((overlay) => overlay.aimed);
  const running = useStudio((state) => state.plan?.running ?? false);
  const [build] = useState(builder);
  const edges = useMemo(
    () => build({ document, operators, streams, picked: new Set(picked), lit, aimed, running }),
    [build, document, operators, streams, picked, lit, aimed, running],
  );
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    const touched = changes.filter((change) => change.type === "select");
    if (touched.length === 0) return;
    const others = getOverlay().picked.filter((id) =>
      touched.every((nodeSelectionChange) => nodeSelectionChange.id !== id),
    );
    setOverlay({
      picked: [
        ...others,
        ...touched
          .filter((nodeSelectionChange) => nodeSelectionChange.selected)
          .map((nodeSelectionChange) => nodeSelectionChange.id),
      ],
    });
  }, []);
  return { edges, onEdgesChange };
}
