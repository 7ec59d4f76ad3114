/** What a dashboard shows, and the edits of it. Pure. */
import type { BoardDocument, Chart, ChartDraft, ChartType, Place } from "../core/api/dashboards";
import type { OutputKind } from "../core/api/types";

export const COLUMNS = 12;
export const EMPTY: BoardDocument = { charts: [], range: "5m", key: "" };

export const TITLES: Readonly<Record<ChartType, string>> = {
  lane: "Lane",
  line: "Line",
  stack: "Stacked area by group",
  number: "Single number",
  table: "Table of keys",
};

export const MEANINGS: Readonly<Record<ChartType, string>> = {
  lane: "the states of one key as coloured spans",
  line: "a number of one key or group over time",
  stack: "the top groups, stacked",
  number: "one value in large digits with its change",
  table: "the top keys, sorted by value",
};

const SIZES: Readonly<Record<ChartType, readonly [number, number]>> = {
  lane: [12, 3],
  line: [6, 6],
  stack: [6, 6],
  number: [3, 3],
  table: [4, 8],
};

export const DEFAULT_TOP = 10;
export const MOST_STACKED = 10;

/** Why a chart of this type cannot show a timeline of this kind, or null. */
export function refusesKind(type: ChartType, kind: OutputKind): string | null {
  const number = kind === "number" || kind === "ratio" || kind === "any";
  return (type === "line" || type === "stack") && !number ? `needs a number; the node gives ${kind}` : null;
}

/** Whether a chart is of one key, not of all of a node. */
export const ofOneKey = (type: ChartType): boolean => type !== "stack" && type !== "table";

export function sized(type: ChartType): Place {
  const [wide, high] = SIZES[type];
  return [0, 0, wide, high];
}

export const titleOf = (chart: ChartDraft): string => chart.title || chart.node;

function overlap([x, y, w, h]: Place, [u, v, k, l]: Place): boolean {
  return x < u + k && u < x + w && y < v + l && v < y + h;
}

/** The first place of this size, reading from the top, where nothing stands. */
function freePlace(charts: readonly Chart[], [, , wide, high]: Place): Place {
  for (let y = 0; ; y++)
    for (let x = 0; x + wide <= COLUMNS; x++) {
      const place: Place = [x, y, wide, high];
      if (!charts.some((chart) => overlap(place, chart.place))) return place;
    }
}

function freeId(charts: readonly Chart[]): string {
  const taken = new Set(charts.map((chart) => chart.id));
  let number = 1;
  while (taken.has(`c${number}`)) number++;
  return `c${number}`;
}

export function addChart(document: BoardDocument, draft: ChartDraft): BoardDocument {
  const { charts } = document;
  const chart = { ...draft, id: freeId(charts), place: freePlace(charts, draft.place) };
  return { ...document, charts: [...charts, chart] };
}

export function changeChart(document: BoardDocument, id: string, change: Partial<Chart>): BoardDocument {
  const charts = document.charts.map((chart) => (chart.id === id ? { ...chart, ...change } : chart));
  return { ...document, charts };
}

export function removeChart(document: BoardDocument, id: string): BoardDocument {
  return { ...document, charts: document.charts.filter((chart) => chart.id !== id) };
}

/** The document with charts at other places; itself where none moved. */
export function placed(document: BoardDocument, places: ReadonlyMap<string, Place>): BoardDocument {
  const moved = document.charts.some((chart) => {
    const place = places.get(chart.id);
    return place !== undefined && place.some((cell, i) => cell !== chart.place[i]);
  });
  if (!moved) return document;
  const charts = document.charts.map((chart) => ({ ...chart, place: places.get(chart.id) ?? chart.place }));
  return { ...document, charts };
}

export function same(a: BoardDocument, b: BoardDocument): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
