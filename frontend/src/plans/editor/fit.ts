/** How the canvas is fitted to what is drawn. */

export const LEAST = 0.1;
/** The tools at the left edge, pixels. */
export const TOOLS = 72;

/** The overview at the lower right, pixels: its size with its edge, and how far from the edges of the canvas it lies. */
export const OVERVIEW = { width: 104, height: 64 };
const EDGE = 2;
const ASIDE = 15;

interface Sight {
  /** React Flow's: how the plan is moved and made larger. */
  transform: readonly [x: number, y: number, zoom: number];
  width: number;
  height: number;
}

/** Whether the overview would lie on one of these boxes of the plan. */
export function isCovered(
  boxes: Iterable<{ x: number; y: number; width: number; height: number }>,
  { transform: [x, y, zoom], width, height }: Sight,
): boolean {
  const [left, right] = [width - ASIDE - OVERVIEW.width - EDGE, width - ASIDE];
  const [top, bottom] = [height - ASIDE - OVERVIEW.height - EDGE, height - ASIDE];
  for (const box of boxes) {
    const [from, above] = [box.x * zoom + x, box.y * zoom + y];
    const isAcross = from < right && from + box.width * zoom > left;
    if (isAcross && above < bottom && above + box.height * zoom > top) return true;
  }
  return false;
}

// Room on the right for the overview, which a narrow canvas does not have (studio.css).
export const FIT = {
  maxZoom: 1,
  padding: { top: "6.5%", bottom: "6.5%", left: `${TOOLS}px`, right: "17%" },
} as const;
