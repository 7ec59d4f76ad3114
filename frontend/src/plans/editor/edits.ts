/** Named actions that edit the plan document. Every one of them can be undone. */
import type { ParameterValue, PlanDocument } from "../../core/api/types";
import type { Wire } from "../../core/graph/document";
import { withRoom } from "../../core/graph/makeRoom";
import * as edit from "../../core/graph/edit";
import type { Position } from "../../core/graph/position";
import { layOut } from "../../core/graph/elk";
import { isDrawn } from "../../core/graph/geometry";
import { addAt, insertIntoWire, removeAndBridge, type Spot } from "../../core/graph/insert";
import * as history from "../../core/graph/history";
import { respellValues } from "../../core/graph/values";
import { portOf, refusesWire } from "../../core/graph/wiring";
import { editedField, partsOf } from "../../core/graph/steps";
import { documentOf, get, likelyStream, showRefusal, set, type StudioState } from "./store";
import { redoTyping, undoTyping } from "./typing";
import { zoomToFit } from "./view";
import { keepDisplay } from "./displays";

function record(next: (state: StudioState) => PlanDocument, tag: string | null): void {
  set((state) => ({ history: history.record(state.history, next(state), tag, Date.now()), notice: null }));
}

/** An edit; literals that it brings together with another kind are read by that one. */
export function change(next: (document: PlanDocument) => PlanDocument, tag: string | null = null): void {
  record((state) => respellValues(documentOf(state), next(documentOf(state)), state), tag);
}

/** Add a node, wired to a spot where one is given: an output, a port, or the middle of a wire, where room is made for it. */
export function addNode(operatorName: string, at: Position, spot: Spot = null): void {
  const operator = get().operators.get(operatorName);
  if (!operator) return;
  const added = addAt(documentOf(get()), operator, at, spot, get(), likelyStream(get()));
  if (added === null) return showRefusal(`${operator.title} does not fit there.`);
  const { document, name } = added;
  const isWire = spot !== null && "from" in spot && "to" in spot;
  change(() => (isWire ? withRoom(document, name, spot, get().operators) : document));
  select([name]);
}

/** Put a node that is there into a wire. */
export function insertNode(name: string, wire: Wire, at: Position): void {
  const moved = edit.moveNodes(documentOf(get()), { [name]: at });
  const after = insertIntoWire(moved, name, wire, get());
  if (after === null) showRefusal(`${name} does not fit between ${wire.from} and ${wire.to}.`);
  change(() => (after ? withRoom(after, name, wire, get().operators) : moved));
}

/** Take nodes away and lead what they read to those that read them. */
export function dissolveNodes(names: readonly string[]): void {
  change((document) => removeAndBridge(document, names, get()));
  select([]);
}

export function moveNodes(places: Record<string, Position>): void {
  change((document) => edit.moveNodes(document, places));
}

export function removeNodes(names: readonly string[]): void {
  change((document) => edit.removeNodes(document, names));
  select(get().selected.filter((name) => !names.includes(name)));
}

export function connect(wire: Wire): void {
  const { operators } = get();
  const refusal = refusesWire(documentOf(get()), wire, get());
  if (refusal !== null) return showRefusal(refusal);
  const many = portOf(documentOf(get()), wire.to, wire.port, operators)?.many ?? false;
  change((document) => edit.connect(document, wire, many));
}

/** Take the end of a wire to another port, in one step. */
export function rewire(old: Wire, wire: Wire): void {
  const without = edit.disconnect(documentOf(get()), [old]);
  const refusal = refusesWire(without, wire, get());
  if (refusal !== null) return showRefusal(refusal);
  const many = portOf(without, wire.to, wire.port, get().operators)?.many ?? false;
  change(() => edit.connect(without, wire, many));
}

export function disconnect(gone: readonly Wire[]): void {
  change((document) => edit.disconnect(document, gone));
}

export function renameNode(old: string, name: string): string | null {
  const refusal = edit.refusesName(documentOf(get()), old, name);
  if (refusal !== null || old === name) return refusal;
  change((document) => edit.renameNode(document, old, name));
  keepDisplay(old, name);
  select(get().selected.map((one) => (one === old ? name : one)));
  return null;
}

/** What is typed into one field is undone at once; a step that is added, moved or removed is an edit of its own. */
function tagOf(node: string, parameter: string, value: ParameterValue | undefined): string | null {
  if (!Array.isArray(value)) return `${node}.${parameter}`;
  const before = documentOf(get()).nodes[node]?.params?.[parameter];
  const field = editedField(partsOf(before), partsOf(value));
  return field && `${node}.${parameter}.${field}`;
}

export function setParameter(node: string, parameter: string, value: ParameterValue | undefined): void {
  change((document) => edit.setParameter(document, node, parameter, value), tagOf(node, parameter, value));
}

export function setStream(node: string, stream: string): void {
  change((document) => edit.setStream(document, node, stream));
}

export function setResult(node: string, is: boolean): void {
  change((document) => edit.setResult(document, node, is));
}

export function renamePlan(name: string): void {
  change((document) => ({ ...document, name }), "plan name");
}

/** Lay out the whole plan, or these nodes of it. */
export async function arrangeAll(names: readonly string[] = []): Promise<void> {
  const { layoutEngine } = await import("./layoutEngine");
  const lay = await layOut(documentOf(get()), names, get().operators, layoutEngine());
  change(lay);
  if (names.length === 0) zoomToFit();
}

/** The document as it was read from a text or a file, to the letter; what is typed quickly is undone in one step. */
export function replaceDocument(document: PlanDocument, tag: string | null): void {
  record(() => document, tag);
  keepSelection();
}

function keepSelection(): void {
  const document = documentOf(get());
  select(get().selected.filter((id) => isDrawn(document, id)));
}

export function undo(): void {
  if (undoTyping()) return;
  set((state) => ({ history: history.undo(state.history), notice: null }));
  keepSelection();
}

export function redo(): void {
  if (redoTyping()) return;
  set((state) => ({ history: history.redo(state.history), notice: null }));
  keepSelection();
}

export function select(names: readonly string[]): void {
  const held = get().selected;
  if (held.length !== names.length || held.some((name, i) => name !== names[i])) set({ selected: names });
}

/** Select a node and bring it into view. */
export function showNode(node: string): void {
  select([node]);
  set((state) => ({ focus: { node, count: (state.focus?.count ?? 0) + 1 } }));
}
