/** A layered layout: a node lies right of all its inputs; within a layer, near the middle of them. */
import type { PlanDocument } from "../api/types";
import { wiresInto } from "./document";
import type { Position } from "./edit";

const COLUMN = 288;
const ROW = 136;

function inputsOf(document: PlanDocument, name: string): string[] {
  const node = document.nodes[name];
  return node ? wiresInto(name, node).map((wire) => wire.from) : [];
}

function layers(document: PlanDocument): Map<string, number> {
  const layer = new Map<string, number>();
  const depth = (name: string): number => {
    const held = layer.get(name);
    if (held !== undefined) return held;
    layer.set(name, 0);
    const above = inputsOf(document, name).filter((input) => input in document.nodes);
    const own = above.length === 0 ? 0 : 1 + Math.max(...above.map(depth));
    layer.set(name, own);
    return own;
  };
  Object.keys(document.nodes).forEach(depth);
  return layer;
}

function mean(values: number[], otherwise: number): number {
  return values.length === 0 ? otherwise : values.reduce((a, b) => a + b, 0) / values.length;
}

function column(members: string[], wanted: Map<string, number>): [string, number][] {
  const ordered = [...members].sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  const middle = mean([...wanted.values()], 0);
  return ordered.map((name, row) => [name, middle + (row - (ordered.length - 1) / 2) * ROW]);
}

/** Names so that every node comes after all its inputs. */
export function inOrder(document: PlanDocument): string[] {
  const layer = layers(document);
  return Object.keys(document.nodes).sort((a, b) => (layer.get(a) ?? 0) - (layer.get(b) ?? 0));
}

export function arrange(document: PlanDocument): Record<string, Position> {
  const layer = layers(document);
  const columns = Math.max(-1, ...layer.values()) + 1;
  const places: Record<string, Position> = {};
  for (let c = 0; c < columns; c += 1) {
    const members = [...layer.keys()].filter((name) => layer.get(name) === c);
    const wanted = new Map(
      members.map((name, row) => {
        const rows = inputsOf(document, name).flatMap((input) => places[input]?.[1] ?? []);
        return [name, mean(rows, row * ROW)];
      }),
    );
    for (const [name, y] of column(members, wanted)) places[name] = [c * COLUMN, Math.round(y / 8) * 8];
  }
  return places;
}

/** Where every node lies: where the document says, else where the layout would put it. */
export function positions(document: PlanDocument): Record<string, Position> {
  const told = document.layout ?? {};
  const missing = Object.keys(document.nodes).some((name) => told[name] === undefined);
  return missing ? { ...arrange(document), ...told } : told;
}
