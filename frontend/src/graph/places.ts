/** Places for nodes that have none, beside what they are wired to; those that have one stay where they are. */
import type { PlanDocument } from "../api/types";
import { wires } from "./document";
import type { Position } from "./edit";

const COLUMN = 288;
// A node with two inputs that runs: its strip and its status below the ports.
const ROW = 232;

type Places = Record<string, Position>;

function overlaps([x, y]: Position, places: Places): boolean {
  return Object.values(places).some(([a, b]) => Math.abs(a - x) < COLUMN - 32 && Math.abs(b - y) < ROW - 16);
}

function below(at: Position, places: Places): Position {
  let place = at;
  while (overlaps(place, places)) place = [place[0], place[1] + ROW];
  return place;
}

const mean = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0) / numbers.length;

function wanted(inputs: readonly Position[], readers: readonly Position[], places: Places): Position {
  if (inputs.length > 0)
    return [Math.max(...inputs.map(([x]) => x)) + COLUMN, mean(inputs.map(([, y]) => y))];
  if (readers.length > 0)
    return [Math.min(...readers.map(([x]) => x)) - COLUMN, mean(readers.map(([, y]) => y))];
  const all = Object.values(places);
  return all.length === 0
    ? [0, 0]
    : [Math.min(...all.map(([x]) => x)), Math.max(...all.map(([, y]) => y)) + ROW];
}

/** `names` in an order in which every node comes after its inputs. */
export function withPlaces(document: PlanDocument, told: Places, names: readonly string[]): Places {
  const all = wires(document);
  const places = { ...told };
  const at = (name: string): Position[] => (places[name] ? [places[name]] : []);
  for (const name of names) {
    if (places[name]) continue;
    const inputs = all.filter((wire) => wire.to === name).flatMap((wire) => at(wire.from));
    const readers = all.filter((wire) => wire.from === name).flatMap((wire) => at(wire.to));
    const [x, y] = below(wanted(inputs, readers, places), places);
    places[name] = [Math.round(x), Math.round(y)];
  }
  return places;
}
