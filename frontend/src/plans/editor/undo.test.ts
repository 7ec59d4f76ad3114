/** Every action that changes the document can be undone, all the way back, and redone, all the way forth. */
import fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import type { PlanDocument } from "../../core/api/types";
import { listWires, type Wire } from "../../core/graph/document";
import { disconnect } from "../../core/graph/edit";
import { COMMENT, GROUP } from "../../core/graph/geometry";
import { start } from "../../core/graph/history";
import { CATALOGUE, CIRR } from "../../core/graph/sample.testing";
import { refusesWire } from "../../core/graph/wiring";
import * as clipboard from "./clipboard";
import * as drawn from "./selectionActions";
import { parseDocument } from "../../core/graph/document";
import * as edits from "./edits";
import { documentOf, buildInitialState, get, set } from "./store";

vi.mock("./layoutEngine", async () => {
  const { default: ELK } = await import("elkjs/lib/elk.bundled.js");
  const engine = new ELK();
  return { layoutEngine: () => engine };
});

/** Three numbers choose what an action does, whatever the document is by then. */
type Chance = readonly [number, number, number];
type Action = (chance: Chance) => unknown;

const names = (): string[] => Object.keys(documentOf(get()).nodes);
const pick = <T>(from: readonly T[], n: number): T | undefined => from[n % Math.max(1, from.length)];
const name = (n: number): string => pick(names(), n) ?? "gone";
const wire = (n: number): Wire =>
  pick(listWires(documentOf(get())), n) ?? { from: "gone", to: "gone", port: "of" };
const operator = (n: number): string => pick([...CATALOGUE.operators.keys()], n) ?? "and";
/** One that fits, now and then one that does not. */
function newWire([a, b, c]: Chance, without: readonly Wire[] = []): Wire {
  const document = disconnect(documentOf(get()), without);
  const all = names().flatMap((from) => names().map((to): Wire => ({ from, to, port: "of" })));
  const fit = all.filter((one) => refusesWire(document, one, get()) === null);
  return pick(c % 4 === 3 ? all : fit, a + b) ?? wire(0);
}
const choose = ([a, b, c]: Chance): void =>
  edits.select(
    pick([[name(a), name(b)], names(), [`${COMMENT}${a % 4}`, name(b)], [`${GROUP}${c % 3}`]], c) ?? [],
  );
const chosen =
  (act: () => unknown): Action =>
  (chance) => {
    choose(chance);
    return act();
  };

const EDITS: Readonly<Record<string, Action>> = {
  addNode: ([a, b, c]) =>
    edits.addNode(operator(a), [b, c], pick([null, { from: name(b) }, wire(c)], b) ?? null),
  insertNode: ([a, b, c]) => edits.insertNode(name(a), wire(b), [b, c]),
  dissolveNodes: ([a, b]) => edits.dissolveNodes([name(a), name(b)]),
  moveNodes: ([a, b, c]) => edits.moveNodes({ [name(a)]: [b, c] }),
  removeNodes: ([a]) => edits.removeNodes([name(a)]),
  connect: (chance) => edits.connect(newWire(chance)),
  rewire: (chance) => edits.rewire(wire(chance[2]), newWire(chance, [wire(chance[2])])),
  disconnect: ([a]) => edits.disconnect([wire(a)]),
  renameNode: ([a, b]) => edits.renameNode(name(a), `name_${b}`),
  setParameter: ([a, b]) => edits.setParameter(name(a), "value", pick([b, "text", true, undefined], b)),
  setStream: ([a, b]) => edits.setStream(name(a), `stream_${b}`),
  setResult: ([a, b]) => edits.setResult(name(a), b % 2 === 0),
  renamePlan: ([a]) => edits.renamePlan(`Plan ${a}`),
  arrangeAll: ([a, b]) => edits.arrangeAll(b % 2 === 0 ? [] : [name(a)]),
  replaceDocument: ([a]) => edits.replaceDocument({ ...documentOf(get()), name: `Read ${a}` }, null),
};
const DRAWN: Readonly<Record<string, Action>> = {
  moveAll: ([a, b, c]) => drawn.moveAll({ [name(a)]: [b, c], [`${COMMENT}${a % 3}`]: [c, b] }),
  nudge: chosen(() => drawn.nudge(8, -8)),
  align: chosen(() => drawn.align("left")),
  distribute: chosen(() => drawn.distribute("down")),
  removeAll: ([a, b, c]) => drawn.removeAll([name(a), `${COMMENT}${b % 3}`, `${GROUP}${c % 2}`], [wire(c)]),
  groupSelected: chosen(drawn.groupSelected),
  ungroupSelected: chosen(drawn.ungroupSelected),
  changeGroup: ([a]) => drawn.changeGroup(a % 2, { title: `Group ${a}`, colour: "green" }),
  colourSelected: chosen(() => drawn.colourSelected("orange")),
  addComment: ([a, b]) => drawn.addComment([a, b], `Comment ${a}`),
  writeComment: ([a, b]) => drawn.writeComment(b % 3, `Written ${a}`),
  sizeComment: ([a, b, c]) => drawn.sizeComment(a % 3, [b, c], [c + 100, b + 40]),
};
const CLIPBOARD: Readonly<Record<string, Action>> = {
  duplicate: chosen(clipboard.duplicate),
  pasteClipping: ([a, b, c]) => clipboard.pasteClipping(CIRR, [a, b], c % 2 === 0),
  pasteText: ([a, b]) => clipboard.pasteText(JSON.stringify({ ...CIRR, name: `Text ${a}` }), b % 2 === 0),
};
const ACTIONS = { ...EDITS, ...DRAWN, ...CLIPBOARD };

/** What changes no document by itself. */
const OTHERS = {
  edits: ["change", "undo", "redo", "select", "showNode"],
  drawn: ["selectedNodes", "selectedComments", "selectAll", "selectAlong", "goTo"],
};

beforeEach(() => set({ ...buildInitialState(), ...CATALOGUE, loaded: true }));

test("every action there is takes part", () => {
  const functions = (module: object): string[] => Object.keys(module).sort();
  expect([...Object.keys(EDITS), ...OTHERS.edits].sort()).toEqual(functions(edits));
  expect([...Object.keys(DRAWN), ...OTHERS.drawn].sort()).toEqual(functions(drawn));
});

test.each(Object.keys(ACTIONS))(
  "%s changes a document, and is one step",
  async (action) => {
    let changed = 0;
    for (let n = 0; n < 12; n += 1) {
      set({ ...buildInitialState(), ...CATALOGUE, history: start(CIRR) });
      await ACTIONS[action as keyof typeof ACTIONS]?.([n, n + 1, n + 2]);
      const steps = get().history.past.length;
      expect(steps).toBeLessThanOrEqual(1);
      changed += steps;
    }
    expect(changed).toBeGreaterThan(0);
  },
  60_000,
);

const script = fc.array(
  fc.tuple(fc.constantFrom(...Object.keys(ACTIONS)), fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50))),
  { maxLength: 25 },
);

test("undo all gives the same document, redo all too", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      set({ ...buildInitialState(), ...CATALOGUE, history: start(CIRR) });
      const before = JSON.stringify(CIRR);
      const states: PlanDocument[] = [];
      for (const [action, chance] of steps) await ACTIONS[action as keyof typeof ACTIONS]?.(chance);
      const after = JSON.stringify(documentOf(get()));
      while (get().history.past.length > 0) {
        states.push(documentOf(get()));
        edits.undo();
      }
      expect(JSON.stringify(documentOf(get()))).toBe(before);
      for (const state of states.reverse()) {
        edits.redo();
        expect(documentOf(get())).toBe(state);
      }
      expect(JSON.stringify(documentOf(get()))).toBe(after);
      expect(get().history.future).toEqual([]);
    }),
    { numRuns: 60 },
  );
}, 120_000);

test("no action leaves a document that cannot be read", async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      set({ ...buildInitialState(), ...CATALOGUE, history: start(CIRR) });
      for (const [action, chance] of steps) await ACTIONS[action as keyof typeof ACTIONS]?.(chance);
      const document = documentOf(get());
      expect(parseDocument(JSON.stringify(document))).toEqual(document);
      const grouped = (document.groups ?? []).flatMap((group) => group.nodes);
      expect(grouped.filter((one) => !(one in document.nodes))).toEqual([]);
      expect(new Set(grouped).size).toBe(grouped.length);
      for (const { from } of listWires(document)) expect(document.nodes).toHaveProperty([from]);
    }),
    { numRuns: 40 },
  );
}, 120_000);
