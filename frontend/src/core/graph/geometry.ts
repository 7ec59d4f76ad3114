/** How large a node is drawn, and where its ports are: known before it is drawn, so that no plan waits for measuring. */
import type { DocumentNode, Operator, PlanDocument } from "../api/types";
import { commentsOf, groupsOf, placeOf, sizeOf } from "./drawing";
import type { Position } from "./position";
import type { Box } from "./align";

export const NODE_WIDTH = 224;
export const GRID = 8;
const BORDER = 1;
const HEAD = 24 + 24 + 20;
const PORT = 24;
const PORTS_PADDING = 4;

const heightWith = (ports: number): number =>
  HEAD + 2 * PORTS_PADDING + Math.max(1, ports) * PORT + 2 * BORDER;

/** The height of a node that does not run. */
export function heightOf(operator: Operator | undefined): number {
  return heightWith(operator?.inputs.length ?? 0);
}

/** The strip of a node's timeline, and a line of its status; what is around the lines of that. */
export const STRIP = 24;
export const LINE = 16;
export const STATUS = 2 * 4 + BORDER;

/** What a running node has below its ports: the strip of its timeline, and its status in three lines. */
export const RUNNING = STRIP + STATUS + 3 * LINE;

/** The middle of a port, from the top of the node; the output lies beside the first input. */
export function portHeight(index: number): number {
  return BORDER + HEAD + PORTS_PADDING + index * PORT + PORT / 2;
}

export function sizeOfNode(node: DocumentNode, operators: ReadonlyMap<string, Operator>): Position {
  return [NODE_WIDTH, heightOf(operators.get(node.op))];
}

/** The height that a layout keeps free for a node: that of one that runs. */
export function roomyHeight(
  node: DocumentNode | undefined,
  operators: ReadonlyMap<string, Operator>,
): number {
  const operator = operators.get(node?.op ?? "");
  const ports = operator?.inputs.length ?? Object.keys(node?.inputs ?? {}).length;
  return heightWith(ports) + RUNNING;
}

/** What the frame of a group has above its nodes: its title. */
export const FRAME_TOP = 48;
const FRAME = { side: 24, top: FRAME_TOP, bottom: 24 };

/** The frame around a group: as large as its nodes need. */
export function frameOf(boxes: readonly Box[]): Omit<Box, "id"> | null {
  if (boxes.length === 0) return null;
  const left = Math.min(...boxes.map((box) => box.x)) - FRAME.side;
  const top = Math.min(...boxes.map((box) => box.y)) - FRAME.top;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + FRAME.side;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + FRAME.bottom;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export const GROUP = "group:";
export const COMMENT = "comment:";

/** The number of a group or comment that is drawn under this id, or null. */
export function numberOf(id: string, kind: typeof GROUP | typeof COMMENT): number | null {
  return id.startsWith(kind) ? Number(id.slice(kind.length)) : null;
}

/** Whether the document has what is drawn under this id. */
export function isDrawn(document: PlanDocument, id: string): boolean {
  const group = numberOf(id, GROUP);
  if (group !== null) return groupsOf(document)[group] !== undefined;
  const comment = numberOf(id, COMMENT);
  return comment === null ? id in document.nodes : commentsOf(document)[comment] !== undefined;
}

/** Where every comment lies: where it says, else above the node before which it stands, or beside all. */
export function placeComments(
  document: PlanDocument,
  places: Readonly<Record<string, Position>>,
): readonly Position[] {
  const all = Object.values(places);
  const left = Math.min(0, ...all.map(([x]) => x));
  const top = Math.min(0, ...all.map(([, y]) => y));
  const bottom = Math.max(0, ...all.map(([, y]) => y)) + 160;
  const taken: Position[] = [];
  const free = ([x, y]: Position, step: number): Position => {
    let at: Position = [x, y];
    while (taken.some(([a, b]) => Math.abs(a - at[0]) < 240 && Math.abs(b - at[1]) < 104))
      at = [at[0], at[1] + step];
    taken.push(at);
    return at;
  };
  return commentsOf(document).map((comment) => {
    const position = placeOf(comment);
    if (position) return position;
    const before = typeof comment === "object" ? places[comment.before ?? ""] : undefined;
    const height = sizeOf(comment)[1] + 24;
    if (before) return free([before[0], before[1] - height], -height);
    return typeof comment === "string" ? free([left, top - height], -height) : free([left, bottom], height);
  });
}
