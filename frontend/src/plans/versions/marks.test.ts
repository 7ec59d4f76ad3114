import { expect, test } from "vitest";
import type { PlanDocument } from "../../core/api/document";
import type { Compared, Side, Subject } from "../../core/api/versions";
import { buildMarkedDocument, describeWireChange, wordsOf } from "./marks";

const side = (document: PlanDocument): Side => ({
  number: 1,
  name: "",
  reason: "run",
  words: "",
  by: "ada",
  made_at: null,
  runs: false,
  document,
});

const subject = (name: string, did: Subject["did"], was: string | null = null): Subject => ({
  name,
  node: true,
  was,
  did,
  changes: [],
});

const FROM: PlanDocument = {
  version: 1,
  name: "Plan",
  nodes: {
    seeking: { op: "has_existed", stream: "calls", params: { where: "x" } },
    gone: { op: "event_count", stream: "calls" },
    calm: { op: "not", inputs: { of: "seeking" } },
    both: { op: "and", inputs: { of: ["calm", "gone"] } },
  },
  layout: { seeking: [0, 0], gone: [0, 200], calm: [300, 0], both: [600, 0] },
};
const TO: PlanDocument = {
  version: 1,
  name: "Plan",
  nodes: {
    sought: { op: "has_existed", stream: "calls", params: { where: "x" } },
    calm: { op: "not", inputs: { of: "sought" } },
    both: { op: "and", inputs: { of: ["calm", "fresh"] } },
    fresh: { op: "has_existed", stream: "calls", params: { where: "y" } },
  },
  layout: { sought: [0, 0], calm: [300, 90], both: [600, 0], fresh: [300, 300] },
};
const COMPARED: Compared = {
  from: side(FROM),
  to: side(TO),
  words: "",
  renames: { seeking: "sought" },
  subjects: [
    subject("sought", ["renamed"], "seeking"),
    subject("gone", ["removed"]),
    subject("calm", ["moved"]),
    subject("both", ["rewired"]),
    subject("fresh", ["added"]),
  ],
};

test("nodes of both versions lie on one canvas, with what happened to them", () => {
  const { nodes } = buildMarkedDocument(COMPARED, new Map());
  expect(nodes.map((node) => [node.name, wordsOf(node), node.at, node.before])).toEqual([
    ["sought", "was seeking", [0, 0], null],
    ["calm", "moved", [300, 90], [300, 0]],
    ["both", "rewired", [600, 0], null],
    ["fresh", "added", [300, 300], null],
    ["gone", "removed", [0, 200], null],
  ]);
});

test("wires that came and went are told apart; those of a renamed node stay", () => {
  const { wires } = buildMarkedDocument(COMPARED, new Map());
  expect(wires.map(({ from, to, did }) => [from, to, did])).toEqual([
    ["sought", "calm", null],
    ["calm", "both", null],
    ["fresh", "both", "added"],
    ["gone", "both", "removed"],
  ]);
});

test("a wire that leads to another port of the same node is one wire, and says both", () => {
  const reads = (port: string): Side =>
    side({ ...FROM, nodes: { ...FROM.nodes, both: { op: "minus", inputs: { [port]: "calm" } } } });
  const { wires } = buildMarkedDocument(
    { ...COMPARED, from: reads("left"), to: reads("right"), renames: {} },
    new Map(),
  );
  const [wire, ...others] = wires.filter(({ to }) => to === "both");
  expect(others).toEqual([]);
  expect([wire?.did, wire && describeWireChange(wire)]).toEqual(["rewired", "left → right"]);
});

test("two equal versions have no marks", () => {
  const { nodes, wires } = buildMarkedDocument(
    { ...COMPARED, from: side(TO), renames: {}, subjects: [] },
    new Map(),
  );
  expect(nodes.every((node) => node.did.length === 0)).toBe(true);
  expect(wires.every((wire) => wire.did === null)).toBe(true);
});
