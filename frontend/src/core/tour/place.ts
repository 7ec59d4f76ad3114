/** Where the words of a step stand: beside what they point at, wholly in view, and over nothing that they speak of. */

export interface Size {
  width: number;
  height: number;
}

export interface Place {
  left: number;
  top: number;
}

export interface Box extends Place, Size {}

const GAP = 12;
const EDGE = 8;

const within = (value: number, most: number): number => Math.max(EDGE, Math.min(value, most));

function overlap(a: Box, b: Box): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

/** How far two boxes are from each other. */
function apart(a: Box, b: Box): number {
  const across = Math.max(0, a.left - (b.left + b.width), b.left - (a.left + a.width));
  const down = Math.max(0, a.top - (b.top + b.height), b.top - (a.top + a.height));
  return Math.hypot(across, down);
}

/** Below, above, right and left of a box. */
function around({ left, top, width, height }: Box, size: Size): Place[] {
  const middle = left + width / 2 - size.width / 2;
  return [
    { left: middle, top: top + height + GAP },
    { left: middle, top: top - GAP - size.height },
    { left: left + width + GAP, top },
    { left: left - GAP - size.width, top },
  ];
}

/** In line with an edge of the target, or just beside any of the boxes, across and down. */
function beside(target: Box, spared: readonly Box[], size: Size): Place[] {
  const boxes = [target, ...spared];
  const lefts = [
    target.left,
    target.left + target.width / 2 - size.width / 2,
    target.left + target.width - size.width,
  ];
  const tops = [target.top, target.top + target.height - size.height];
  lefts.push(...boxes.flatMap(({ left, width }) => [left - GAP - size.width, left + width + GAP]));
  tops.push(...boxes.flatMap(({ top, height }) => [top - GAP - size.height, top + height + GAP]));
  return tops.flatMap((top) => lefts.map((left) => ({ left, top })));
}

/** The nearest place that hides nothing, else the one that hides least; the target counts before the rest. */
export function place(target: Box | null, words: Size, view: Size, spared: readonly Box[] = []): Place {
  // The size of an element is not copied with `...`.
  const size = { width: words.width, height: words.height };
  const most = { left: view.width - size.width - EDGE, top: view.height - size.height - EDGE };
  if (target === null) return { left: most.left, top: most.top };
  const corners = [most.left, EDGE].flatMap((left) => [most.top, EDGE].map((top) => ({ left, top })));
  const places = [...around(target, size), ...beside(target, spared, size), ...corners].map((at) => ({
    left: within(at.left, most.left),
    top: within(at.top, most.top),
  }));
  const hidden = (at: Box): number =>
    spared.reduce((sum, box) => sum + overlap(at, box), 1000 * overlap(at, target));
  const judged = places.map((at) => {
    const box = { ...at, ...size };
    return { at, hidden: hidden(box), apart: apart(box, target) };
  });
  return judged.reduce((best, one) =>
    one.hidden < best.hidden || (one.hidden === best.hidden && one.apart < best.apart) ? one : best,
  ).at;
}
