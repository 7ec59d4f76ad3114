/** Places for nodes that have none, beside what they are wired to; those that have one stay where they are. */
import type { Operator, PlanDocument } from "../api/types";
import { listWires } from "./document";
import type { Position } from "./position";
import { NODE_WIDTH, roomyHeight } from "./geometry";

/** From the left edge of a node to that of what reads it. */
export const COLUMN = 288;
/** Beside a node at least so much: a wire is seen, and where it leads. */
export const WIRE_GAP = COLUMN - NODE_WIDTH;
/** Between a node that runs and the one below it. */
export const GAP = 24;

type Places = Record<string, Position>;
type HeightOf = (name: string) => number;

/** The node whose room this place would take, if there is any. */
function inTheWay([x, y]: Position, height: number, places: Places, heightOf: HeightOf): string | undefined {
  return Object.keys(places).find((name) => {
    const [a, b] = places[name] ?? [0, 0];
    return Math.abs(a - x) < COLUMN && b < y + height + GAP && y < b + heightOf(name) + GAP;
  });
}

function below(at: Position, height: number, places: Places, heightOf: HeightOf): Position {
  for (let place = at; ;) {
    const other = inTheWay(place, height, places, heightOf);
    if (other === undefined) return place;
    place = [place[0], (places[other]?.[1] ?? 0) + heightOf(other) + GAP];
  }
}

const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length;

function wanted(
  inputs: readonly Position[],
  readers: readonly Position[],
  places: Places,
  heightOf: HeightOf,
): Position {
  if (inputs.length > 0)
    return [Math.max(...inputs.map(([x]) => x)) + COLUMN, mean(inputs.map(([, y]) => y))];
  if (readers.length > 0)
    return [Math.min(...readers.map(([x]) => x)) - COLUMN, mean(readers.map(([, y]) => y))];
  const all = Object.entries(places);
  const bottom = Math.max(...all.map(([name, [, y]]) => y + heightOf(name)));
  return all.length === 0 ? [0, 0] : [Math.min(...all.map(([, [x]]) => x)), bottom + GAP];
}

/** `names` in an order in which every node comes after its inputs. */
export function withPlaces(
  document: PlanDocument,
  placed: Places,
  names: readonly string[],
  operators: ReadonlyMap<string, Operator>,
): Places {
  const all = listWires(document);
  const heightOf = (name: string): number => roomyHeight(document.nodes[name], operators);
  const places = { ...placed };
  const at = (name: string): Position[] => (places[name] ? [places[name]] : []);
  for (const name of names) {
    if (places[name]) continue;
    const inputs = all.filter((wire) => wire.to === name).flatMap((wire) => at(wire.from));
    const readers = all.filter((wire) => wire.from === name).flatMap((wire) => at(wire.to));
    const [x, y] = below(wanted(inputs, readers, places, heightOf), heightOf(name), places, heightOf);
    places[name] = [Math.round(x), Math.round(y)];
  }
  return places;
}
