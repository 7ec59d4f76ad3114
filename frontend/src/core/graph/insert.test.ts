import { describe, expect, test } from "vitest";
import { selectFittingOperators, addAt, insertIntoWire, removeAndBridge, findPortFor } from "./insert";
import { addNode } from "./edit";
import { CATALOGUE, CIRR, OPERATORS } from "./sample.testing";
import type { Operator } from "../api/types";

const operator = (name: string): Operator => OPERATORS.get(name) as Operator;
const names = (spot: Parameters<typeof selectFittingOperators>[1]) =>
  selectFittingOperators(CIRR, spot, CATALOGUE).map((fittingOperator) => fittingOperator.name);

describe("what fits", () => {
  test("after an output: whoever takes its kind", () => {
    expect(names({ from: "cirr" })).toEqual(["equal_to", "shift", "aggregate"]);
    expect(names({ from: "calm" })).toEqual([
      "and",
      "not",
      "equal_to",
      "duration_where",
      "shift",
      "aggregate",
    ]);
  });

  test("before a port: whoever gives its kind, or may", () => {
    expect(names({ to: "calm", port: "of" })).toEqual([
      "latest_event_to_state",
      "has_existed_within",
      "and",
      "not",
      "equal_to",
      "shift",
    ]);
  });

  test("in a wire: who takes the one and gives the other", () => {
    expect(names({ from: "calm", to: "induced", port: "of" })).toEqual(["and", "not", "equal_to", "shift"]);
    expect(names({ from: "induced", to: "cirr", port: "of" })).not.toContain("aggregate");
  });

  test("in the open: everybody", () => {
    expect(names(null)).toHaveLength(OPERATORS.size);
  });
});

test("a node in a wire takes its place at a port of several", () => {
  const trial = addAt(CIRR, operator("not"), [0, 0], { from: "calm", to: "induced", port: "of" }, CATALOGUE);
  expect(trial?.document.nodes.induced?.inputs).toEqual({ of: ["not", "buffering"] });
  expect(trial?.document.nodes.not?.inputs).toEqual({ of: "calm" });
  expect(trial?.document.results).toEqual(["cirr"]);
});

test("a node that does not fit in a wire leaves the plan alone", () => {
  const { document, name } = addNode(CIRR, operator("duration_where"), [0, 0]);
  expect(insertIntoWire(document, name, { from: "calm", to: "induced", port: "of" }, CATALOGUE)).toBeNull();
});

test("a port that is free goes before one that is taken", () => {
  const { document, name } = addNode(CIRR, operator("equal_to"), [0, 0]);
  expect(findPortFor(document, "state", name, CATALOGUE)).toBe("of");
  expect(findPortFor(CIRR, "seeking", "buffering", CATALOGUE)).toBe("other");
});

describe("deleting and reconnecting", () => {
  test("what the node read goes to those that read it", () => {
    const left = removeAndBridge(CIRR, ["calm"], CATALOGUE);
    expect(left.nodes.induced?.inputs).toEqual({ of: ["seeking", "buffering"] });
    expect("calm" in left.nodes).toBe(false);
  });

  test("a chain of nodes is bridged", () => {
    const chain = addAt(
      CIRR,
      operator("not"),
      [0, 0],
      { from: "calm", to: "induced", port: "of" },
      CATALOGUE,
    );
    const left = removeAndBridge(chain?.document ?? CIRR, ["not", "calm"], CATALOGUE);
    expect(left.nodes.induced?.inputs).toEqual({ of: ["seeking", "buffering"] });
  });

  test("where the kinds do not allow it the wire is gone", () => {
    const left = removeAndBridge(CIRR, ["buffering"], CATALOGUE);
    expect(left.nodes.induced?.inputs).toEqual({ of: "calm" });
  });

  test("a port of several takes all that came to the node", () => {
    const left = removeAndBridge(
      { ...CIRR, nodes: { ...CIRR.nodes, top: { op: "and", inputs: { of: ["induced", "calm"] } } } },
      ["induced"],
      CATALOGUE,
    );
    expect(left.nodes.top?.inputs).toEqual({ of: ["buffering", "calm"] });
  });
});
