/** Places on the grid: moving and resizing by whole cells, others make room. Pure. */
import { getCompactor, moveElement, type Layout, type LayoutItem } from "react-grid-layout/core";
import type { Chart, Place } from "../core/api/dashboards";
import { COLUMNS, DECLARED } from "./document";

export const ROW_HEIGHT = 40;
export const GAP = 8;

export const compactor = getCompactor("vertical");

export function layoutOf(charts: readonly Chart[]): LayoutItem[] {
  return charts.map(({ id, type, place: [x, y, w, h] }) => {
    const [minW, minH] = DECLARED[type].least;
    return { i: id, x, y, w, h, minW, minH };
  });
}

export function placesOf(layout: Layout): Map<string, Place> {
  return new Map(layout.map(({ i, x, y, w, h }) => [i, [x, y, w, h]]));
}

const settle = (layout: Layout): Map<string, Place> => placesOf(compactor.compact(layout, COLUMNS));

/** One below the other, as they are read, where there is no room for columns. */
export function stackCharts(charts: readonly Chart[]): LayoutItem[] {
  const sorted = [...charts].sort((a, b) => a.place[1] - b.place[1] || a.place[0] - b.place[0]);
  let y = 0;
  return sorted.map(({ id, place }) => {
    const item = { i: id, x: 0, y, w: 1, h: place[3] };
    y += place[3];
    return item;
  });
}

const endOf = (items: readonly LayoutItem[]): number => Math.max(0, ...items.map((item) => item.y + item.h));
const startOf = (items: readonly LayoutItem[]): number => Math.min(...items.map((item) => item.y));

/** Parts of a dashboard that stand one below the other, and through none of which a line can be drawn across. */
function bandsOf(layout: readonly LayoutItem[]): LayoutItem[][] {
  const bands: LayoutItem[][] = [];
  for (const item of layout.toSorted((a, b) => a.y - b.y || a.x - b.x)) {
    const band = bands.at(-1);
    if (band && item.y < endOf(band)) band.push(item);
    else bands.push([item]);
  }
  return bands;
}

/** The screens of `most` rows on which all of a dashboard is seen, no chart of it in two parts. */
export function screensOf(layout: readonly LayoutItem[], most: number): LayoutItem[][] {
  const screens: LayoutItem[][] = [];
  for (const band of bandsOf(layout)) {
    const screen = screens.at(-1);
    if (screen && endOf(band) - startOf(screen) <= most) screen.push(...band);
    else screens.push([...band]);
  }
  return screens.map((items) => items.map((item) => ({ ...item, y: item.y - startOf(items) })));
}

/** A chart moved by some cells, as with the mouse: down means past what stands below. */
export function nudgeChart(charts: readonly Chart[], id: string, dx: number, dy: number): Map<string, Place> {
  const layout = layoutOf(charts);
  const item = layout.find((layoutItem) => layoutItem.i === id);
  if (!item) return placesOf(layout);
  const x = Math.max(0, Math.min(COLUMNS - item.w, item.x + dx));
  const y = Math.max(0, dy > 0 ? beyond(layout, item) : item.y + dy);
  return settle(moveElement(layout, item, x, y, true, false, "vertical", COLUMNS));
}

/** The row from which a chart that goes down falls behind the one below it. */
function beyond(layout: readonly LayoutItem[], item: LayoutItem): number {
  const below = layout.filter(
    (layoutItem) =>
      layoutItem.y >= item.y + item.h &&
      layoutItem.x < item.x + item.w &&
      item.x < layoutItem.x + layoutItem.w,
  );
  const first = Math.min(...below.map((layoutItem) => layoutItem.y));
  const next = below.find((layoutItem) => layoutItem.y === first);
  return next ? item.y + next.h : item.y + 1;
}

/** A chart wider or higher by some cells; what it would cover goes down. */
export function stretchChart(
  charts: readonly Chart[],
  id: string,
  dw: number,
  dh: number,
): Map<string, Place> {
  const layout = layoutOf(charts).map((layoutItem) => {
    if (layoutItem.i !== id) return layoutItem;
    const w = Math.max(layoutItem.minW ?? 1, Math.min(COLUMNS - layoutItem.x, layoutItem.w + dw));
    return { ...layoutItem, w, h: Math.max(layoutItem.minH ?? 1, layoutItem.h + dh) };
  });
  const item = layout.find((layoutItem) => layoutItem.i === id);
  if (!item) return placesOf(layout);
  return settle(moveElement(layout, item, item.x, item.y, true, false, "vertical", COLUMNS));
}
