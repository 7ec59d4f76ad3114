/** A layered layout: a node lies right of all its inputs; in a column, near what it is wired to. */
import type { Operator, PlanDocument } from "../api/types";
import { listWires, listWiresInto } from "./document";
import type { Position } from "./position";
import { roomyHeight } from "./geometry";
import { COLUMN, GAP, withPlaces } from "./places";

type Operators = ReadonlyMap<string, Operator>;

const SWEEPS = 4;

function inputsOf(document: PlanDocument, name: string): string[] {
  const node = document.nodes[name];
  return node ? listWiresInto(name, node).map((wire) => wire.from) : [];
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

/** Names so that every node comes after all its inputs. */
export function sortTopologically(document: PlanDocument): string[] {
  const layer = layers(document);
  return Object.keys(document.nodes).sort((a, b) => (layer.get(a) ?? 0) - (layer.get(b) ?? 0));
}

interface Sketch {
  columns: string[][];
  links: Map<string, string[]>;
}

/** Columns of names; a wire that passes a column holds a place in it, so that no node lies on its way. */
function sketch(document: PlanDocument): Sketch {
  const layer = layers(document);
  const columns: string[][] = Array.from({ length: Math.max(-1, ...layer.values()) + 1 }, () => []);
  const links = new Map<string, string[]>();
  const link = (a: string, b: string) => {
    links.set(a, [...(links.get(a) ?? []), b]);
    links.set(b, [...(links.get(b) ?? []), a]);
  };
  for (const [name, c] of layer) columns[c]?.push(name);
  for (const { from, to } of listWires(document)) {
    if (!(from in document.nodes)) continue;
    let last = from;
    for (let c = (layer.get(from) ?? 0) + 1; c < (layer.get(to) ?? 0); c += 1) {
      const passing = `${from}>${to}@${c}`;
      columns[c]?.push(passing);
      link(last, passing);
      last = passing;
    }
    link(last, to);
  }
  return { columns, links };
}

function heights(columns: readonly string[][]): Map<string, number> {
  return new Map(columns.flatMap((names) => names.map((name, row) => [name, row - (names.length - 1) / 2])));
}

/** Order every column by the mean height of its neighbours in the column that was ordered before it. */
function sweep(columns: string[][], links: Sketch["links"], forward: boolean): void {
  const order = forward ? columns.keys() : [...columns.keys()].reverse();
  for (const c of order) {
    const beside = new Set(columns[forward ? c - 1 : c + 1] ?? []);
    const height = heights(columns);
    const wanted = (name: string): number => {
      const near = (links.get(name) ?? [])
        .filter((one) => beside.has(one))
        .map((one) => height.get(one) ?? 0);
      return near.length === 0 ? (height.get(name) ?? 0) : near.reduce((a, b) => a + b, 0) / near.length;
    };
    const wishes = new Map(columns[c]?.map((name) => [name, wanted(name)]));
    columns[c]?.sort((a, b) => (wishes.get(a) ?? 0) - (wishes.get(b) ?? 0));
  }
}

/** The places of a column, one below the other, its middle at the height 0. */
function stacked(document: PlanDocument, names: readonly string[], x: number, operators: Operators) {
  const heights = names.map((name) => roomyHeight(document.nodes[name], operators) + GAP);
  let y = -heights.reduce((a, b) => a + b, 0) / 2;
  return names.map((name, i): [string, Position] => {
    const at: Position = [x, Math.round(y)];
    y += heights[i] ?? 0;
    return [name, at];
  });
}

export function arrange(document: PlanDocument, operators: Operators): Record<string, Position> {
  const { columns, links } = sketch(document);
  for (let i = 0; i < SWEEPS; i += 1) sweep(columns, links, i % 2 === 0);
  const places = columns.flatMap((names, c) => stacked(document, names, c * COLUMN, operators));
  return Object.fromEntries(places.filter(([name]) => name in document.nodes));
}

/** Farther away than this nobody finds anything again. */
const FARTHEST = 1e6;

function isPlace(at: unknown): boolean {
  const near = (one: unknown) => typeof one === "number" && Math.abs(one) <= FARTHEST;
  return Array.isArray(at) && at.length === 2 && at.every(near);
}

/** The places that a document tells; what is none is left out. */
function listPlaces({ layout }: PlanDocument): Record<string, Position> {
  const entries = Object.entries(layout ?? {});
  if (layout && entries.every(([, at]) => isPlace(at))) return layout;
  return Object.fromEntries(entries.filter(([, at]) => isPlace(at)));
}

/** Where every node lies: where the document says, else beside its neighbours, else where the layout would put it. */
export function computePositions(document: PlanDocument, operators: Operators): Record<string, Position> {
  const placed = listPlaces(document);
  const names = Object.keys(document.nodes);
  if (names.every((name) => placed[name] !== undefined)) return placed;
  if (names.every((name) => placed[name] === undefined))
    return { ...placed, ...arrange(document, operators) };
  return withPlaces(document, placed, sortTopologically(document), operators);
}
