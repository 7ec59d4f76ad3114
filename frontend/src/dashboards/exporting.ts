/** A chart or a dashboard as a file. */
import type { Chart } from "../core/api/dashboards";
import { describeError } from "../core/api/client";
import { fetchFunnel, fetchKeyTimelines } from "../core/api/timelineCalls";
import { download, downloadBlob, fileName } from "../core/ui/download";
import { MAX_KEY_ROWS, rowsOf, type KeyRow } from "../timechart/keyRows";
import { edgeNow, seenWindow, windowOf } from "./clock";
import { formatBoard } from "./boardFile";
import { formatCsv } from "./csv";
import { DEFAULT_TOP, hasOption, ofOneKey, titleOf } from "./document";
import { sortByNumber } from "./series";
import { documentOf, get, set } from "./store";

const POINTS = 10_000;

/** Of the rows of a node those that the chart shows. */
function shownRows(chart: Chart, key: string, rows: readonly KeyRow[], at: number): readonly KeyRow[] {
  if (ofOneKey(chart.type)) return rows.filter((row) => row.key === key);
  if (!hasOption(chart.type, "top")) return rows;
  return sortByNumber(rows, at, chart.order ?? "most").slice(0, chart.top ?? DEFAULT_TOP);
}

async function csvOfRows(chart: Chart, digest: string, key: string): Promise<string> {
  const { start, end } = windowOf(get());
  const window = { start: Math.floor(start), end: Math.ceil(Math.min(end, edgeNow().now)) };
  const isOne = ofOneKey(chart.type);
  const asked = { search: isOne ? key : "", points: isOne ? POINTS : 1000, limit: MAX_KEY_ROWS };
  const keyTimelines = await fetchKeyTimelines(digest, { ...asked, from: window.start, to: window.end });
  return formatCsv(shownRows(chart, key, rowsOf(keyTimelines), window.end), window);
}

async function csvOfFunnel({ count }: Chart, digest: string): Promise<string> {
  const { formatFunnelCsv } = await import("../timechart/funnelWords");
  return formatFunnelCsv(await fetchFunnel(digest, { ...seenWindow(), count }));
}

/** Download the window of a chart, up to now. */
export async function exportChart(chart: Chart, digest: string, key: string): Promise<void> {
  try {
    const isFunnel = chart.type === "funnel";
    const text = await (isFunnel ? csvOfFunnel(chart, digest) : csvOfRows(chart, digest, key));
    download(fileName(titleOf(chart), "csv", "chart"), text, "text/csv");
  } catch (error) {
    set({ notice: { tone: "bad", text: describeError(error) } });
  }
}

/** Download a chart over time as it is drawn now. */
export async function exportPicture(section: HTMLElement, title: string): Promise<void> {
  try {
    const { pictureOf } = await import("./picture");
    const picture = await pictureOf(section, title, windowOf(get()));
    if (picture) downloadBlob(fileName(title, "png", "chart"), picture);
  } catch (error) {
    set({ notice: { tone: "bad", text: describeError(error) } });
  }
}

export function exportBoard(): void {
  const { name } = get();
  const text = formatBoard({ name, document: documentOf(get()) });
  download(fileName(name, "json", "dashboard"), text, "application/json");
}
