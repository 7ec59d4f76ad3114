/** Named actions on what is drawn: places, groups, comments, and what is selected. Every one can be undone. */
import * as aligning from "../../core/graph/align";
import * as drawing from "../../core/graph/drawing";
import { moveNodes, removeNodes, disconnect } from "../../core/graph/edit";
import type { Position } from "../../core/graph/position";
import type { Wire } from "../../core/graph/document";
import { COMMENT, GROUP, numberOf } from "../../core/graph/geometry";
import { collectDownstream, findNeighbour, collectUpstream, type Direction } from "../../core/graph/walk";
import type { Group, GroupColour, PlanDocument } from "../../core/api/types";
import { change, select } from "./edits";
import { documentOf, get } from "./store";
import { boxesOf, onGrid, placesOf, placesOfComments } from "./view";

/** The nodes that are selected, those of selected groups included. */
export function selectedNodes(): string[] {
  const { nodes } = documentOf(get());
  const groups = drawing.groupsOf(documentOf(get()));
  const names = get().selected.flatMap((id) => {
    const group = numberOf(id, GROUP);
    return group === null ? [id] : (groups[group]?.nodes ?? []);
  });
  return [...new Set(names)].filter((name) => name in nodes);
}

export function selectedComments(): Set<number> {
  return new Set(get().selected.flatMap((id) => numberOf(id, COMMENT) ?? []));
}

function moved(document: PlanDocument, places: Readonly<Record<string, Position>>): PlanDocument {
  const nodes = Object.entries(places).filter(([id]) => id in document.nodes);
  const comments = Object.entries(places).flatMap(([id, at]): [number, Position][] => {
    const number = numberOf(id, COMMENT);
    return number === null ? [] : [[number, at]];
  });
  const after = nodes.length > 0 ? moveNodes(document, Object.fromEntries(nodes)) : document;
  return comments.length > 0 ? drawing.moveComments(after, new Map(comments)) : after;
}

/** Move nodes and comments, in one step. */
export function moveAll(places: Readonly<Record<string, Position>>, tag: string | null = null): void {
  if (Object.keys(places).length > 0) change((document) => moved(document, places), tag);
}

/** Move what is selected a little; a row of such steps is undone together. */
export function nudge(dx: number, dy: number): void {
  const comments = placesOfComments(get());
  const places = placesOf(documentOf(get()));
  const ids = [...selectedNodes(), ...[...selectedComments()].map((i) => `${COMMENT}${i}`)];
  const from = (id: string): Position => places[id] ?? comments[numberOf(id, COMMENT) ?? -1] ?? [0, 0];
  const entries = ids.map((id): [string, Position] => [id, onGrid([from(id)[0] + dx, from(id)[1] + dy])]);
  moveAll(Object.fromEntries(entries), `nudge ${ids.join(" ")}`);
}

function selectedBoxes(): aligning.Box[] {
  return boxesOf(get(), [...selectedNodes(), ...[...selectedComments()].map((i) => `${COMMENT}${i}`)]);
}

export function align(edge: aligning.Edge): void {
  const boxes = selectedBoxes();
  if (boxes.length > 1) moveAll(aligning.align(boxes, edge));
}

export function distribute(axis: aligning.Axis): void {
  moveAll(aligning.distribute(selectedBoxes(), axis));
}

/** Take away what is selected and these wires; a group's frame goes, its nodes stay. */
export function removeAll(ids: readonly string[], gone: readonly Wire[]): void {
  const numbers = (kind: typeof GROUP | typeof COMMENT) =>
    new Set(ids.flatMap((id) => numberOf(id, kind) ?? []));
  const [groups, comments] = [numbers(GROUP), numbers(COMMENT)];
  change((document) => {
    const framed = drawing.groupsOf(document).filter((_, i) => groups.has(i));
    const names = ids.filter((id) => id in document.nodes);
    const kept = framed.flatMap((group) => group.nodes.filter((name) => !names.includes(name)).slice(0, 1));
    const bare = drawing.ungroupNodes(drawing.removeComments(document, comments), kept);
    const cut = gone.length > 0 ? disconnect(bare, gone) : bare;
    return names.length > 0 ? removeNodes(cut, names) : cut;
  });
  select([]);
}

export function groupSelected(): void {
  const names = selectedNodes();
  if (names.length === 0) return;
  change((document) => drawing.groupNodes(document, names, "Group"));
  select([`${GROUP}${drawing.groupOf(documentOf(get()), names[0] as string)}`]);
}

export function ungroupSelected(): void {
  const names = selectedNodes();
  change((document) => drawing.ungroupNodes(document, names));
  select(names);
}

/** Give the groups of what is selected a colour, in one step. */
export function colourSelected(colour: GroupColour): void {
  const names = selectedNodes();
  const groups = drawing
    .groupsOf(documentOf(get()))
    .map((group) => names.some((name) => group.nodes.includes(name)));
  change((document) =>
    groups.reduce(
      (planDocument, is, i) => (is ? drawing.changeGroup(planDocument, i, { colour }) : planDocument),
      document,
    ),
  );
}

export function changeGroup(index: number, change_: Partial<Group>): void {
  const tag = `group ${index} ${Object.keys(change_).join()}`;
  change((document) => drawing.changeGroup(document, index, change_), tag);
}

export function addComment(at: Position, text = ""): void {
  change((document) => drawing.addComment(document, onGrid(at), text));
  select([`${COMMENT}${drawing.commentsOf(documentOf(get())).length - 1}`]);
}

export function writeComment(index: number, text: string): void {
  change((document) => drawing.writeComment(document, index, text), `comment ${index}`);
}

export function sizeComment(index: number, at: Position, size: Position): void {
  change((document) => drawing.sizeComment(document, index, at, size));
}

export function selectAll(): void {
  const document = documentOf(get());
  const comments = drawing.commentsOf(document).map((_, i) => `${COMMENT}${i}`);
  select([...Object.keys(document.nodes), ...comments]);
}

/** Add to the selection all that it reads, or all that reads it. */
export function selectAlong(way: "up" | "down"): void {
  const { nodes } = documentOf(get());
  select([...(way === "up" ? collectUpstream : collectDownstream)(nodes, ...selectedNodes())]);
}

/** Go to the neighbour of the selected node; with nothing selected, to the first node. The answer is its name. */
export function goTo(direction: Direction): string | null {
  const document = documentOf(get());
  const from = selectedNodes().at(-1);
  const name =
    from === undefined
      ? (Object.keys(document.nodes)[0] ?? null)
      : findNeighbour(document, placesOf(document), from, direction);
  if (name !== null) select([name]);
  return name;
}
