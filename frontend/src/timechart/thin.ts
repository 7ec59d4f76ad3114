/** Lines with no more points than can be seen; every kept point is one of the line's own. Pure. */

export interface Vertex {
  readonly x: number;
  /** Null: a gap. */
  readonly y: number | null;
}

/** Of the points in each of `columns` columns the first, the least, the greatest and the last. */
export function thinPoints(line: readonly Vertex[], start: number, end: number, columns: number): Vertex[] {
  if (line.length <= columns * 4) return [...line];
  const vertices: Vertex[] = [];
  let begin = 0;
  const column = (vertex: Vertex | undefined): number =>
    vertex === undefined || vertex.y === null
      ? NaN
      : Math.floor(((vertex.x - start) / (end - start)) * columns);
  for (let i = 1; i <= line.length; i++) {
    if (i < line.length && column(line[i]) === column(line[begin])) continue;
    vertices.push(...extremes(line, begin, i));
    begin = i;
  }
  return vertices;
}

function extremes(line: readonly Vertex[], begin: number, end: number): Vertex[] {
  let [low, high] = [begin, begin];
  for (let i = begin; i < end; i++) {
    const y = line[i]?.y ?? 0;
    if (y < (line[low]?.y ?? 0)) low = i;
    if (y > (line[high]?.y ?? 0)) high = i;
  }
  const places = [...new Set([begin, low, high, end - 1])].sort((a, b) => a - b);
  return places.flatMap((i) => line[i] ?? []);
}
