import { describe, expect, test } from "vitest";
import { addNode, connect } from "./edit";
import { groupedNodes, outputKind } from "./kinds";
import { CATALOGUE, CIRR, OPERATORS } from "./sample.testing";
import { respellValues, parseValue } from "./values";
import { refusesWire } from "./wiring";
import type { Operator, PlanDocument } from "../api/types";

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
    expect([...groupedNodes(withAggregate, CATALOGUE.operators)]).toEqual(["aggregate"]);
  });
});

describe("a wire", () => {
  test("is refused with the reason: kind, circle, itself, twice, no such port, other keys", () => {
    expect(refusal("state", "calm")).toBe("Takes bool; state gives text.");
    expect(refusal("cirr", "calm")).toContain("circle");
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

describe("literals", () => {
  test("are read by the kind that they are compared with", () => {
    expect(parseValue("5", "number")).toBe(5);
    expect(parseValue("10min", "number")).toBe("10min");
    expect(parseValue("5", "text")).toBe("5");
    expect(parseValue("true", "bool")).toBe(true);
    expect(parseValue("  ", "text")).toBeUndefined();
  });

  test("are read again when a wire brings another kind", () => {
    const node = { op: "equal_to", inputs: { of: "cirr" }, params: { value: "5" } };
    const respelt = respellValues({ ...CIRR, nodes: { ...CIRR.nodes, node } }, "node", CATALOGUE);
    expect(respelt.nodes.node?.params).toEqual({ value: 5 });
  });
});
