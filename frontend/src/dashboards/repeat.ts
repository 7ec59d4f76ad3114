/** Charts that are repeated: a copy for each selected key or group. Pure. */
import type { Chart, Place } from "../core/api/dashboards";
import { COLUMNS, ofOneKey, overlap } from "./document";

/** Whether there is a copy of it for each selected key. */
export const isRepeated = ({ type, key, repeat }: Chart): boolean =>
  ofOneKey(type) && key === null && repeat === true;

/** Places for so many copies: right of the chart where nothing else is, then in rows below it. */
function placesOf(chart: Chart, many: number, others: readonly Chart[]): { places: Place[]; rows: number } {
  const [x, y, wide, high] = chart.place;
  const places: Place[] = [chart.place];
  for (let left = x + wide; left + wide <= COLUMNS && places.length < many; left += wide) {
    const place: Place = [left, y, wide, high];
    if (others.some((other) => overlap(place, other.place))) break;
    places.push(place);
  }
  const [beside, inRow] = [places.length, Math.floor(COLUMNS / wide)];
  for (let i = 0; i < many - beside; i++)
    places.push([(i % inRow) * wide, y + high * (1 + Math.floor(i / inRow)), wide, high]);
  return { places, rows: high * Math.ceil((many - beside) / inRow) };
}

function lowered(chart: Chart, below: number, rows: number): Chart {
  const [x, y, wide, high] = chart.place;
  return y < below ? chart : { ...chart, place: [x, y + rows, wide, high] };
}

/** The charts with their copies; what is below a repeated chart makes room. The first copy keeps the id. */
export function repeatCharts(
  charts: readonly Chart[],
  selectionOf: (chart: Chart) => readonly string[],
): readonly Chart[] {
  let drawn = charts;
  for (const { id } of charts.filter(isRepeated)) {
    const chart = drawn.find((one) => one.id === id);
    const named = chart ? selectionOf(chart) : [];
    if (chart === undefined || named.length === 0) continue;
    const others = drawn.filter((one) => one.id !== id);
    const { places, rows } = placesOf(chart, named.length, others);
    const below = chart.place[1] + chart.place[3];
    const copies = named.map((key, i) => ({
      ...chart,
      id: i === 0 ? id : `${id}~${i}`,
      key,
      place: places[i] ?? chart.place,
    }));
    drawn = [...others.map((other) => lowered(other, below, rows)), ...copies];
  }
  return drawn;
}
