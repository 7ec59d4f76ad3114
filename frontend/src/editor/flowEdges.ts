/** Wires as React Flow draws them. */
import type { Edge, EdgeChange } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import type { PlanDocument } from "../api/types";
import { wires } from "../graph/document";
import { outputKind } from "../graph/kinds";
import type { Catalogue } from "../graph/wiring";
import { useWhy } from "../why/store";
import { lay, laid, useOverlay, wireId } from "./overlay";
import { documentOf, useStudio } from "./store";

interface Scene extends Catalogue {
  document: PlanDocument;
  picked: ReadonlySet<string>;
  lit: ReadonlySet<string>;
  aimed: string | null;
}

function edgesOf({ document, operators, streams, picked, lit, aimed }: Scene): Edge[] {
  return wires(document)
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
      return { id, ...ends, className, ariaLabel, selected: picked.has(id) };
    });
}

function builder(): (scene: Scene) => Edge[] {
  let before = new Map<string, Edge>();
  return (scene) => {
    const all = edgesOf(scene).map((edge) => {
      const held = before.get(edge.id);
      return held && held.className === edge.className && held.selected === edge.selected ? held : edge;
    });
    before = new Map(all.map((edge) => [edge.id, edge]));
    return all;
  };
}

export function useFlowEdges() {
  const document = useStudio(documentOf);
  const operators = useStudio((state) => state.operators);
  const streams = useStudio((state) => state.streams);
  const lit = useWhy((why) => why.path.wires);
  const picked = useOverlay((overlay) => overlay.picked);
  const aimed = useOverlay((overlay) => overlay.aimed);
  const [build] = useState(builder);
  const edges = useMemo(
    () => build({ document, operators, streams, picked: new Set(picked), lit, aimed }),
    [build, document, operators, streams, picked, lit, aimed],
  );
  const onEdgesChange = useCallback((changes: EdgeChange[]) => {
    const touched = changes.filter((one) => one.type === "select");
    if (touched.length === 0) return;
    const others = laid().picked.filter((id) => touched.every((one) => one.id !== id));
    lay({ picked: [...others, ...touched.filter((one) => one.selected).map((one) => one.id)] });
  }, []);
  return { edges, onEdgesChange };
}
