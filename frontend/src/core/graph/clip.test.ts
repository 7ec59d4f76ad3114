import { describe, expect, test } from "vitest";
import { buildClipping, cornerOf, paste, readClipping } from "./clip";
import { emptyDocument } from "./document";
import { CIRR } from "./sample.testing";

const places = {
  nodes: { calm: [8, 16], induced: [300, 0] } as const,
  comments: [[0, -80] as [number, number]],
};
const part = buildClipping(CIRR, ["calm", "induced"], new Set([0]), {
  ...places,
  nodes: { ...places.nodes, calm: [8, 16], induced: [300, 0] },
});

describe("a clipping", () => {
  test("is a plan document of what is selected, and is read back from text", () => {
    expect(Object.keys(part.nodes)).toEqual(["calm", "induced"]);
    expect(part.comments).toEqual([{ text: "What this is about.", before: null, at: [0, -80] }]);
    expect(readClipping(JSON.stringify(part))).toEqual(part);
    expect(cornerOf(part)).toEqual([0, -80]);
  });

  test("takes a group along only when all of it is selected", () => {
    expect(part.groups).toBeUndefined();
    const clipping = buildClipping(CIRR, ["seeking", "calm"], new Set(), { nodes: {}, comments: [] });
    expect(clipping.groups).toEqual([{ title: "Seeks", nodes: ["seeking", "calm"] }]);
  });

  test.each(["", "hello", "[]", "{}", '{"version": 1, "nodes": {}}', '{"version": 1, "nodes": {"a": 5}}'])(
    "%j is none",
    (text) => {
      expect(readClipping(text)).toBeNull();
    },
  );
});

describe("pasting", () => {
  test("gives free names, lays inner wires and leaves outer ones", () => {
    const { document, names } = paste(CIRR, part, [100, 10], false);
    expect(names).toEqual(["calm_2", "induced_2"]);
    expect(document.nodes.induced_2?.inputs).toEqual({ of: ["calm_2"] });
    expect(document.nodes.calm_2).toEqual({ op: "not", comment: "not just after a seek" });
    expect(document.layout?.calm_2).toEqual([108, 26]);
    expect(document.comments?.at(-1)).toEqual({ text: "What this is about.", before: null, at: [100, -70] });
  });

  test("keeps outer wires where that is asked and the plan has the node", () => {
    const here = paste(CIRR, part, [0, 0], true);
    expect(here.document.nodes.calm_2?.inputs).toEqual({ of: "seeking" });
    const elsewhere = paste(emptyDocument(), part, [0, 0], true);
    expect(elsewhere.document.nodes.calm?.inputs).toBeUndefined();
    expect(elsewhere.document.results).toEqual(["induced"]);
  });

  test("the same twice counts on", () => {
    const twice = paste(paste(CIRR, part, [0, 0], false).document, part, [0, 0], false);
    expect(twice.names).toEqual(["calm_3", "induced_3"]);
  });
});
