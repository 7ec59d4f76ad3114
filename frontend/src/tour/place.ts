/** Where the words of a step stand: beside what they point at, wholly in view. */

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const GAP = 12;
const EDGE = 8;

const within = (value: number, most: number): number => Math.max(EDGE, Math.min(value, most));

export function place(
  target: Box | null,
  size: { width: number; height: number },
  view: { width: number; height: number },
): { left: number; top: number } {
  const most = { left: view.width - size.width - EDGE, top: view.height - size.height - EDGE };
  if (target === null) return { left: most.left, top: most.top };
  const right = target.left + target.width;
  const bottom = target.top + target.height;
  const middle = within(target.left + target.width / 2 - size.width / 2, most.left);
  if (bottom + GAP + size.height + EDGE <= view.height)
    return { left: middle, top: within(bottom + GAP, most.top) };
  if (target.top - GAP - size.height >= EDGE)
    return { left: middle, top: within(target.top - GAP - size.height, most.top) };
  const top = within(target.top, most.top);
  if (right + GAP + size.width + EDGE <= view.width) return { left: within(right + GAP, most.left), top };
  if (target.left - GAP - size.width >= EDGE)
    return { left: within(target.left - GAP - size.width, most.left), top };
  return { left: most.left, top: most.top };
}
