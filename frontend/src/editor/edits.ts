/** Named actions that edit the plan document. Every one of them can be undone. */
import type { PlanDocument, Scalar } from "../api/types";
import { arrange } from "../graph/arrange";
import { parseDocument, type Wire } from "../graph/document";
import * as edit from "../graph/edit";
import * as history from "../graph/history";
import { respellValues } from "../graph/values";
import { portOf, refusesWire } from "../graph/wiring";
import { documentOf, get, set } from "./store";

function change(next: (document: PlanDocument) => PlanDocument, tag: string | null = null): void {
  set((state) => ({
    history: history.record(state.history, next(documentOf(state)), tag, Date.now()),
    notice: null,
  }));
}

/** The stream that a new node reads at first: the one last used in the plan, else the only one there is. */
function likelyStream(): string | undefined {
  const used = Object.values(documentOf(get()).nodes).flatMap((node) => node.stream ?? []);
  const [only, another] = [...get().streams.keys()];
  return used.at(-1) ?? (another === undefined ? only : undefined);
}

export function addNode(operatorName: string, at: edit.Position): void {
  const operator = get().operators.get(operatorName);
  if (!operator) return;
  const place = edit.freePlace(documentOf(get()), at);
  const added = edit.addNode(documentOf(get()), operator, place, likelyStream());
  change(() => added.document);
  select([added.name]);
}

export function moveNodes(places: Record<string, edit.Position>): void {
  change((document) => edit.moveNodes(document, places));
}

export function removeNodes(names: readonly string[]): void {
  change((document) => edit.removeNodes(document, names));
  select(get().selected.filter((name) => !names.includes(name)));
}

export function connect(wire: Wire): void {
  const { operators } = get();
  const refusal = refusesWire(documentOf(get()), wire, get());
  if (refusal !== null) return set({ notice: { tone: "bad", text: refusal } });
  const many = portOf(documentOf(get()), wire.to, wire.port, operators)?.many ?? false;
  change((document) => respellValues(edit.connect(document, wire, many), wire.to, get()));
}

/** Take the end of a wire to another port, in one step. */
export function rewire(old: Wire, wire: Wire): void {
  const without = edit.disconnect(documentOf(get()), [old]);
  const refusal = refusesWire(without, wire, get());
  if (refusal !== null) return set({ notice: { tone: "bad", text: refusal } });
  const many = portOf(without, wire.to, wire.port, get().operators)?.many ?? false;
  change(() => respellValues(edit.connect(without, wire, many), wire.to, get()));
}

export function disconnect(gone: readonly Wire[]): void {
  change((document) => edit.disconnect(document, gone));
}

/** Take nodes and wires away in one step, as the delete key does. */
export function removeAll(names: readonly string[], gone: readonly Wire[]): void {
  change((document) => edit.removeNodes(edit.disconnect(document, gone), names));
  select([]);
}

export function renameNode(old: string, name: string): string | null {
  const refusal = edit.refusesName(documentOf(get()), old, name);
  if (refusal !== null || old === name) return refusal;
  change((document) => edit.renameNode(document, old, name));
  select(get().selected.map((one) => (one === old ? name : one)));
  return null;
}

export function setParameter(node: string, parameter: string, value: Scalar | undefined): void {
  change((document) => edit.setParameter(document, node, parameter, value), `${node}.${parameter}`);
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

export function arrangeAll(): void {
  change((document) => ({ ...document, layout: { ...document.layout, ...arrange(document) } }));
}

/** Take a document written as JSON; the answer is why not, or null. */
export function applyJson(text: string): string | null {
  try {
    const document = parseDocument(text);
    change(() => document);
    select([]);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function keepSelection(): void {
  const { nodes } = documentOf(get());
  select(get().selected.filter((name) => name in nodes));
}

export function undo(): void {
  set((state) => ({ history: history.undo(state.history), notice: null }));
  keepSelection();
}

export function redo(): void {
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
