import { describe, expect, test } from "vitest";
import { emptyDocument } from "./document";
import * as edit from "./edit";
import { CIRR, OPERATORS } from "./sample.testing";
import type { Operator } from "../api/types";

const operator = (name: string): Operator => OPERATORS.get(name) as Operator;

describe("adding a node", () => {
  test("names it by its operator, places it, gives it the stream, and makes it a result", () => {
    const { document, name } = edit.addNode(
      emptyDocument(),
      operator("latest_event_to_state"),
      [1.4, 2],
      "player",
    );
    expect(name).toBe("latest_event_to_state");
    expect(document.nodes[name]).toEqual({ op: "latest_event_to_state", stream: "player" });
    expect(document.layout).toEqual({ [name]: [1, 2] });
    expect(document.results).toEqual([name]);
  });

  test("takes the next free name", () => {
    const first = edit.addNode(emptyDocument(), operator("and"), [0, 0]);
    expect(edit.addNode(first.document, operator("and"), [0, 0]).name).toBe("and_2");
  });
});

describe("wires", () => {
  test("a port for many holds a list, a port for one a name", () => {
    const many = edit.connect(CIRR, { from: "seeking", to: "induced", port: "of" }, true);
    expect(many.nodes.induced?.inputs).toEqual({ of: ["calm", "buffering", "seeking"] });
    const planDocument = edit.connect(CIRR, { from: "buffering", to: "calm", port: "of" }, false);
    expect(planDocument.nodes.calm?.inputs).toEqual({ of: "buffering" });
  });

  test("cutting the last wire of a port takes the port away", () => {
    const cut = edit.disconnect(CIRR, [{ from: "induced", to: "cirr", port: "of" }]);
    expect(cut.nodes.cirr).toEqual({ op: "duration_where" });
  });

  test("results follow the sinks", () => {
    const cut = edit.disconnect(CIRR, [{ from: "induced", to: "cirr", port: "of" }]);
    expect(cut.results).toEqual(["induced", "cirr"]);
  });

  test("results that a person named stay", () => {
    const named = edit.setResult(CIRR, "induced", true);
    const cut = edit.disconnect(named, [{ from: "calm", to: "induced", port: "of" }]);
    expect(cut.results).toEqual(["cirr", "induced"]);
  });
});

describe("removing nodes", () => {
  test("takes their wires, places and results along and leaves the rest alone", () => {
    const left = edit.removeNodes(CIRR, ["seeking", "cirr"]);
    expect(left.nodes.calm).toEqual({ op: "not", comment: "not just after a seek" });
    expect(left.layout).toEqual({});
    expect(left.results).toEqual(["induced"]);
    expect(left.nodes.buffering).toBe(CIRR.nodes.buffering);
    expect(left.groups).toEqual([{ title: "Seeks", nodes: ["calm"] }]);
    expect(left.comments).toEqual(["What this is about.", { text: "The result.", before: null }]);
    expect(left.kept).toBe(true);
  });
});

describe("renaming", () => {
  test("keeps wires, place and results", () => {
    const renamed = edit.renameNode(edit.renameNode(CIRR, "seeking", "seek"), "cirr", "rebuffering");
    expect(renamed.nodes.calm?.inputs).toEqual({ of: "seek" });
    expect(renamed.layout).toEqual({ seek: [0, 0] });
    expect(renamed.results).toEqual(["rebuffering"]);
    expect(renamed.groups).toEqual([{ title: "Seeks", nodes: ["seek", "calm"] }]);
    expect(renamed.comments?.[1]).toEqual({ text: "The result.", before: "rebuffering" });
    expect(Object.keys(renamed.nodes)).toHaveLength(6);
  });

  test.each(["calm", "1st", "", "two words"])("%j is refused", (name) => {
    expect(edit.refusesName(CIRR, "cirr", name)).not.toBeNull();
    expect(edit.renameNode(CIRR, "cirr", name)).toBe(CIRR);
  });
});

describe("parameters", () => {
  test("are set, and taken away", () => {
    const set = edit.setParameter(CIRR, "seeking", "duration", "7s");
    expect(set.nodes.seeking?.params?.duration).toBe("7s");
    const unset = edit.setParameter(CIRR, "buffering", "value", undefined);
    expect(unset.nodes.buffering).toEqual({ op: "equal_to", inputs: { of: "state" } });
  });
});

test("a lone wire is written by its name, also of a port for many; the second makes a list", () => {
  const nodes = { a: { op: "x" }, b: { op: "x" }, to: { op: "aggregate" } };
  const planDocument = edit.connect(
    { version: 1, name: "", nodes },
    { from: "a", to: "to", port: "by" },
    true,
  );
  const two = edit.connect(planDocument, { from: "b", to: "to", port: "by" }, true);
  expect([planDocument, two].map((drawn) => drawn.nodes["to"]?.inputs)).toEqual([
    { by: "a" },
    { by: ["a", "b"] },
  ]);
});
