import { describe, expect, test } from "vitest";
import * as drawing from "./drawing";
import { CIRR } from "./sample.testing";

describe("groups", () => {
  test("a node lies in one group at most, and a group that loses its last node goes", () => {
    const planDocument = drawing.groupNodes(CIRR, ["seeking", "state"], "Leaves");
    expect(planDocument.groups?.map((group) => group.nodes)).toEqual([["calm"], ["seeking", "state"]]);
    const all = drawing.groupNodes(planDocument, Object.keys(CIRR.nodes), "All");
    expect(all.groups?.map((group) => group.title)).toEqual(["All"]);
  });

  test("a new group takes a colour that is not taken", () => {
    const planDocument = drawing.groupNodes(CIRR, ["state"], "One");
    const two = drawing.groupNodes(planDocument, ["buffering"], "Two");
    expect(two.groups?.map((group) => group.colour)).toEqual([undefined, "blue", "green"]);
  });

  test("the last one takes the key along", () => {
    expect("groups" in drawing.ungroupNodes(CIRR, ["calm"])).toBe(false);
  });

  test("of nothing there is no group", () => {
    expect(drawing.groupNodes(CIRR, ["gone"], "None")).toBe(CIRR);
  });
});

describe("comments", () => {
  test("one from the head of the text keeps its place before the first node when it is moved", () => {
    const moved = drawing.moveComments(CIRR, new Map([[0, [10.4, 20]]]));
    expect(moved.comments).toEqual([
      { text: "What this is about.", before: "seeking", at: [10, 20] },
      { text: "The result.", before: "cirr" },
    ]);
  });

  test("the texts at the head stay there when one of them is moved", () => {
    const three = { ...CIRR, comments: ["a", "b", { text: "c", before: null }] };
    const moved = drawing.moveComments(three, new Map([[0, [0, 0]]]));
    expect(moved.comments).toEqual([
      "b",
      { text: "a", before: "seeking", at: [0, 0] },
      { text: "c", before: null },
    ]);
  });

  test("are added, written, sized and taken away", () => {
    const added = drawing.addComment(CIRR, [4.5, 8], "new");
    expect(added.comments?.at(-1)).toEqual({ text: "new", before: null, at: [5, 8] });
    const written = drawing.writeComment(drawing.writeComment(added, 2, "two"), 0, "head");
    expect(written.comments?.map(drawing.textOf)).toEqual(["head", "The result.", "two"]);
    expect(drawing.sizeOf(drawing.sizeComment(written, 2, [0, 0], [300, 99.6]).comments?.[2] ?? "")).toEqual([
      300, 100,
    ]);
    expect("comments" in drawing.removeComments(added, new Set([0, 1, 2]))).toBe(false);
  });
});
