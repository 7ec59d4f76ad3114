/** Groups and comments: what is drawn beside the nodes. Each edit returns a new document. */
import type { Group, GroupColour, PlanComment, PlanDocument } from "../api/types";
import type { Position } from "./position";
import { omitKey } from "./records";

export const COLOURS: readonly GroupColour[] = ["blue", "green", "orange", "purple", "grey"];
export const COMMENT_SIZE: Position = [240, 96];

function isPair(value: unknown): value is Position {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
}

/** The groups of a document that another program may have written: what is none is left out. */
export function groupsOf(document: PlanDocument): readonly Group[] {
  const raw: unknown = document.groups;
  return Array.isArray(raw) ? (raw as Group[]).filter((group) => Array.isArray(group?.nodes)) : [];
}

export function commentsOf(document: PlanDocument): readonly PlanComment[] {
  return Array.isArray(document.comments) ? document.comments : [];
}

export function textOf(comment: PlanComment): string {
  return typeof comment === "string" ? comment : String(comment?.text ?? "");
}

export function placeOf(comment: PlanComment): Position | null {
  return typeof comment === "object" && isPair(comment?.at) ? comment.at : null;
}

export function sizeOf(comment: PlanComment): Position {
  return typeof comment === "object" && isPair(comment?.size) ? comment.size : COMMENT_SIZE;
}

function withGroups(document: PlanDocument, groups: readonly Group[]): PlanDocument {
  if (groups.length > 0) return { ...document, groups: [...groups] };
  return omitKey(document, "groups") as PlanDocument;
}

function withComments(document: PlanDocument, comments: readonly PlanComment[]): PlanDocument {
  if (comments.length > 0) return { ...document, comments: [...comments] };
  return omitKey(document, "comments") as PlanDocument;
}

/** The groups without these nodes; one that loses its last node goes. */
function groupsWithout(groups: readonly Group[], gone: ReadonlySet<string>): Group[] {
  return groups.flatMap((group) => {
    const nodes = group.nodes.filter((name) => !gone.has(name));
    if (nodes.length === group.nodes.length) return [group];
    return nodes.length === 0 ? [] : [{ ...group, nodes }];
  });
}

/** Put nodes into a group of their own. A node lies in one group at most. */
export function groupNodes(document: PlanDocument, names: readonly string[], title: string): PlanDocument {
  const nodes = names.filter((name) => name in document.nodes);
  if (nodes.length === 0) return document;
  const others = groupsWithout(groupsOf(document), new Set(nodes));
  const taken = new Set(others.map((other) => other.colour));
  const colour = COLOURS.find((one) => !taken.has(one)) ?? "blue";
  return withGroups(document, [...others, { title, nodes, colour }]);
}

/** Take away the frames around these nodes; the nodes stay. */
export function ungroupNodes(document: PlanDocument, names: readonly string[]): PlanDocument {
  const left = groupsOf(document).filter((group) => !group.nodes.some((name) => names.includes(name)));
  return left.length === groupsOf(document).length ? document : withGroups(document, left);
}

export function changeGroup(document: PlanDocument, index: number, change: Partial<Group>): PlanDocument {
  const groups = groupsOf(document);
  return withGroups(
    document,
    groups.map((group, i) => (i === index ? { ...group, ...change } : group)),
  );
}

/** The group's index for a node, or -1. */
export function groupOf(document: PlanDocument, name: string): number {
  return groupsOf(document).findIndex((group) => group.nodes.includes(name));
}

export function addComment(document: PlanDocument, at: Position, text: string): PlanDocument {
  return withComments(document, [...commentsOf(document), { text, before: null, at: rounded(at) }]);
}

function rounded([x, y]: Position): Position {
  return [Math.round(x), Math.round(y)];
}

function changeComment(
  document: PlanDocument,
  index: number,
  change: (comment: PlanComment) => PlanComment,
): PlanDocument {
  return withComments(
    document,
    commentsOf(document).map((one, i) => (i === index ? change(one) : one)),
  );
}

export function writeComment(document: PlanDocument, index: number, text: string): PlanDocument {
  return changeComment(document, index, (planComment) =>
    typeof planComment === "string" ? text : { ...planComment, text },
  );
}

/** A text from the head becomes one that stands before the first node, as it does in the plan's text. */
function standing(comment: PlanComment, document: PlanDocument): Exclude<PlanComment, string> {
  const before = Object.keys(document.nodes)[0] ?? null;
  return typeof comment === "string" ? { text: comment, before } : comment;
}

/** Move comments, by index; those at the head of the text that stay there go first. */
export function moveComments(document: PlanDocument, places: ReadonlyMap<number, Position>): PlanDocument {
  const moved = commentsOf(document).map((comment, i): PlanComment => {
    const at = places.get(i);
    if (at === undefined) return comment;
    return { ...standing(comment, document), at: rounded(at) };
  });
  const isHead = (planComment: PlanComment): boolean => typeof planComment === "string";
  const heads = moved.filter(isHead);
  return withComments(document, [...heads, ...moved.filter((planComment) => !isHead(planComment))]);
}

/** Give a comment another size; one that has no place yet lies at `at`. */
export function sizeComment(
  document: PlanDocument,
  index: number,
  at: Position,
  size: Position,
): PlanDocument {
  const moved = changeComment(document, index, (planComment) => ({
    ...standing(planComment, document),
    at: rounded(at),
    size: rounded(size),
  }));
  return moveComments(moved, new Map([[index, at]]));
}

export function removeComments(document: PlanDocument, gone: ReadonlySet<number>): PlanDocument {
  if (gone.size === 0) return document;
  return withComments(
    document,
    commentsOf(document).filter((_, i) => !gone.has(i)),
  );
}

/** What is drawn beside the nodes, once these are gone: a comment then stands before the next node that is left. */
export function withoutNodes(document: PlanDocument, gone: ReadonlySet<string>): PlanDocument {
  const names = Object.keys(document.nodes);
  const next = (name: string): string | null =>
    names.slice(names.indexOf(name) + 1).find((one) => !gone.has(one)) ?? null;
  return withNames(document, groupsWithout(groupsOf(document), gone), (name) =>
    gone.has(name) ? next(name) : name,
  );
}

export function withRenamedNode(document: PlanDocument, old: string, name: string): PlanDocument {
  const now = (one: string): string => (one === old ? name : one);
  const groups = groupsOf(document).map((group) =>
    group.nodes.includes(old) ? { ...group, nodes: group.nodes.map(now) } : group,
  );
  return withNames(document, groups, now);
}

function withNames(
  document: PlanDocument,
  groups: readonly Group[],
  now: (name: string) => string | null,
): PlanDocument {
  const comments = commentsOf(document).map((comment): PlanComment => {
    const before = typeof comment === "object" ? comment.before : null;
    return typeof comment === "object" && typeof before === "string" && now(before) !== before
      ? { ...comment, before: now(before) }
      : comment;
  });
  const grouped =
    "groups" in document && Array.isArray(document.groups) ? withGroups(document, groups) : document;
  return Array.isArray(grouped.comments) ? { ...grouped, comments } : grouped;
}
