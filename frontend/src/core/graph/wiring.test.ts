import { describe, expect, test } from "vitest";
import { addNode, connect } from "./edit";
import { selectGroupedNodes, outputKind } from "./kinds";
import { CATALOGUE, CIRR, OPERATORS } from "./sample.testing";
import { respellValues, parseValue } from "./values";
import { refusesWire } from "./wiring";
import type { DocumentNode, Operator, PlanDocument, Scalar, Stream } from "../api/types";

const kind = (document: PlanDocument, name: string) =>
  outputKind(document, name, CATALOGUE.operators, CATALOGUE.streams);
const refusal = (from: string, to: string, port = "of", document = CIRR) =>
  refusesWire(document, { from, to, port }, CATALOGUE);
const added = (document: PlanDocument, op: string) =>
  addNode(document, OPERATORS.get(op) as Operator, [0, 0], "player").document;

const withAggregate = connect(added(CIRR, "aggregate"), { from: "cirr", to: "aggregate", port: "of" }, false);

describe("kinds", () => {
  test("a field that is not declared is text, a declared one is what it was declared", () => {
    expect(kind(CIRR, "state")).toBe("text");
    const field = { op: "latest_event_to_state", stream: "player", params: { field: "bitrate" } };
    expect(kind({ ...CIRR, nodes: { field } }, "field")).toBe("number");
  });

  test("an operator of any kind passes on that of its input", () => {
    const shifted = connect(added(CIRR, "shift"), { from: "cirr", to: "shift", port: "of" }, false);
    expect(kind(shifted, "shift")).toBe("number");
    expect(kind(added(CIRR, "shift"), "shift")).toBe("any");
  });

  test("nodes at and below an aggregate have groups for keys", () => {
    expect([...selectGroupedNodes(withAggregate, CATALOGUE.operators)]).toEqual(["aggregate"]);
  });
});

describe("a wire", () => {
  test("is refused with the reason: kind, loop, itself, twice, no such port, other keys", () => {
    expect(refusal("state", "calm")).toBe("Takes bool; state gives text.");
    expect(refusal("cirr", "calm")).toContain("loop (cirr already depends on calm)");
    expect(refusal("calm", "calm")).toContain("itself");
    expect(refusal("calm", "induced")).toContain("already");
    expect(refusal("calm", "induced", "other")).toContain("no such port");
    const mixed = connect(
      added(withAggregate, "equal_to"),
      { from: "aggregate", to: "equal_to", port: "of" },
      false,
    );
    expect(refusal("cirr", "equal_to", "other", mixed)).toContain("different keys");
  });

  test("is taken where kinds fit, also by a port that has one", () => {
    expect(refusal("buffering", "calm")).toBeNull();
    expect(refusal("seeking", "induced")).toBeNull();
  });
});

const withNode = (node: DocumentNode): PlanDocument => ({ ...CIRR, nodes: { ...CIRR.nodes, node } });

describe("literals", () => {
  test("are read by the kind that they are compared with", () => {
    expect(parseValue("5", "number")).toBe(5);
    expect(parseValue("10min", "number")).toBe("10min");
    expect(parseValue("5", "text")).toBe("5");
    expect(parseValue("true", "bool")).toBe(true);
    expect(parseValue("  ", "text")).toBeUndefined();
  });

  test("are read again when a wire brings another kind", () => {
    const node = { op: "equal_to", params: { value: "5" } };
    const wired = { ...node, inputs: { of: "cirr" } };
    const respelt = respellValues(withNode(node), withNode(wired), CATALOGUE);
    expect(respelt.nodes.node?.params).toEqual({ value: 5 });
  });

  test("are read again when the field far above, its stream or the declaration is another one", () => {
    const on = (field: string) => ({ op: "latest_event_to_state", stream: "s", params: { field } });
    const plan = (field: string, value: Scalar) => ({
      ...CIRR,
      nodes: { at: on(field), five: { op: "equal_to", inputs: { of: "at" }, params: { value } } },
    });
    const stream = { ...[...CATALOGUE.streams.values()][0], name: "s", fields: { n: "number", up: "bool" } };
    const catalogue = { ...CATALOGUE, streams: new Map([["s", stream as Stream]]) };
    const after = (before: PlanDocument, now: PlanDocument) =>
      respellValues(before, now, catalogue).nodes.five?.params?.value;
    expect(after(plan("", "5"), plan("n", "5"))).toBe(5);
    expect(after(plan("n", 5), plan("other", 5))).toBe("5");
    expect(after(plan("other", "true"), plan("up", "true"))).toBe(true);
    expect(after(plan("other", "play"), plan("n", "play")), "it is told to be none").toBe("play");
    expect(after(plan("n", "5"), plan("n", "5")), "what somebody wrote so is left").toBe("5");
  });
});
