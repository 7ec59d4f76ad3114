/** What a dashboard shows, and the edits of it. Pure. */
import type { BoardDocument, Chart, ChartDraft, ChartType, Place } from "../core/api/dashboards";
import type { OutputKind } from "../core/api/types";
import { CHART_TYPES } from "./chartTypes";

export const COLUMNS = 12;
export const EMPTY: BoardDocument = { charts: [], range: "5m", key: "", group: "" };

type Option =
  | "unit"
  | "top"
  | "order"
  | "change"
  | "sort"
  | "state"
  | "low"
  | "high"
  | "sparkline"
  | "repeat"
  | "count"
  | "text"
  | "alert"
  | "severity"
  | "incident_state"
  | "measure";

/** What is declared of a chart type; sizes are width and height in cells. */
interface TypeDeclaration {
  readonly title: string;
  readonly meaning: string;
  /** One key (or group) of a node, many, or nothing of any. */
  readonly subject: "key" | "keys" | "nothing";
  readonly size: readonly [number, number];
  readonly least: readonly [number, number];
  readonly options: readonly Option[];
  /** How many groups or keys it shows at most. */
  readonly most: number;
  readonly needs_number: boolean;
  /** The only operator whose nodes it shows; empty: those of all. */
  readonly needs_operator: string;
  readonly default_for: readonly ("states" | "number" | "groups" | "sequence")[];
}

export const DECLARED: Readonly<Record<ChartType, TypeDeclaration>> = CHART_TYPES;
export const TYPES = Object.keys(DECLARED) as ChartType[];

export const DEFAULT_TOP = 10;

export const hasOption = (type: ChartType, option: Option): boolean =>
  DECLARED[type].options.includes(option);

const isNumber = (kind: OutputKind): boolean => kind === "number" || kind === "ratio";

/** What of a node decides which charts can show it. */
export interface ChartableNode {
  readonly kind: OutputKind;
  readonly operator: string;
}

/** Why a chart of this type cannot show a node, or null. */
export function refusesNode(type: ChartType, { kind, operator }: ChartableNode): string | null {
  const { needs_operator: needed } = DECLARED[type];
  if (needed !== "" && operator !== needed && kind !== "any") return `needs a ${needed}`;
  const fits = !DECLARED[type].needs_number || isNumber(kind) || kind === "any";
  return fits ? null : `needs a number; the node gives ${kind}`;
}

/** The chart that is proposed for a node. */
export function defaultType({ kind, operator }: ChartableNode, hasGroups: boolean): ChartType {
  const special = TYPES.find((type) => operator !== "" && DECLARED[type].needs_operator === operator);
  if (special !== undefined) return special;
  const shown = !isNumber(kind) ? "states" : hasGroups ? "groups" : "number";
  return TYPES.find((type) => DECLARED[type].default_for.includes(shown)) ?? "lane";
}

/** Whether a chart is of one key, not of all of a node. */
export const ofOneKey = (type: ChartType): boolean => DECLARED[type].subject === "key";

/** Whether a chart shows something of a node. */
export const hasNode = (type: ChartType): boolean => DECLARED[type].subject !== "nothing";

export function sized(type: ChartType): Place {
  const [wide, high] = DECLARED[type].size;
  return [0, 0, wide, high];
}

/** What a chart is called that has no title of its own. */
export function plainTitle({ type, node, measure }: ChartDraft): string {
  if (measure === "acknowledge") return "Time to acknowledge";
  return (hasNode(type) && node) || DECLARED[type].title;
}

export const titleOf = (chart: ChartDraft): string => chart.title || plainTitle(chart);

export function overlap([x, y, w, h]: Place, [u, v, k, l]: Place): boolean {
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
export function placeCharts(document: BoardDocument, places: ReadonlyMap<string, Place>): BoardDocument {
  const moved = document.charts.some((chart) => {
    const place = places.get(chart.id);
    return place !== undefined && place.some((cell, i) => cell !== chart.place[i]);
  });
  if (!moved) return document;
  const charts = document.charts.map((chart) => ({ ...chart, place: places.get(chart.id) ?? chart.place }));
  return { ...document, charts };
}

export function isSameDocument(a: BoardDocument, b: BoardDocument): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
