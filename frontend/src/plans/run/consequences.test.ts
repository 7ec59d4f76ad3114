import { expect, test } from "vitest";
import type { Consequences, Fate, RemovedNode } from "../../core/api/consequences";
import {
  changesNothing,
  groupsOf,
  leavingGroups,
  findCommonText,
  describeOpenedStreams,
  describeReplay,
  runQuestion,
  summarizeConsequences,
} from "./consequences";

const bobs = { plan: 2, plan_name: "QoE", owner: "bob", owner_kind: "person" as const };

function fate(name: string, what: Fate["fate"], more: Partial<Fate> = {}): Fate {
  const told = {
    observed: "",
    words: "",
    since: null,
    owner: null,
    replaces: false,
    reads: [],
    was: [],
    users: [],
    query: null,
  };
  return { digest: name, names: [name], fate: what, ...told, ...more };
}

function gone(name: string, what: RemovedNode["fate"], users: RemovedNode["users"] = []): RemovedNode {
  return { digest: name, names: [name], fate: what, users };
}

function told(nodes: Fate[], more: Partial<Consequences> = {}): Consequences {
  return {
    placement: "isolated",
    nodes,
    gone: [],
    queries: [],
    replayed_events: {},
    opens: [],
    words: "",
    ...more,
  };
}

const NOW = Date.parse("2024-07-01T11:00:00Z");
const NINE = Date.parse("2024-07-01T09:00:00Z") * 1000;

test("a changed node is told apart from a new one, a shared one says whose it is, since when and for whom", () => {
  const shared = { owner: "bob", words: "running", since: NINE, users: [bobs] };
  const groups = groupsOf(
    told([
      fate("a", "new", { reads: ["player"] }),
      fate("b", "new", { replaces: true }),
      fate("c", "joined", shared),
    ]),
    NOW,
  );
  expect(groups.map((group) => [group.id, group.lines[0]?.said])).toEqual([
    ["changed", ""],
    ["new", "reads player from the beginning"],
    ["joined", "bob's · running since 2024-07-01 09:00:00 UTC (2 h ago) · used by bob's “QoE”"],
  ]);
});

test("nodes stand in the order of their names, and what each does is said once", () => {
  const reads = { reads: ["player"] };
  const [group] = groupsOf(told([fate("z", "new", reads), fate("a", "new", reads)]), NOW);
  expect(group?.lines.map(({ names }) => names[0])).toEqual(["a", "z"]);
  const lines = group?.lines ?? [];
  expect(findCommonText(lines, lines[0]?.said ?? "")).toBe("each reads player from the beginning");
  expect(findCommonText(lines.slice(0, 1), "reads player")).toBe("reads player");
});

test("what is left goes on for somebody, what stops does not", () => {
  const groups = leavingGroups([gone("a", "stopped"), gone("b", "left", [bobs])]);
  expect(groups.map((group) => [group.id, group.lines.map((line) => line.said)])).toEqual([
    ["stopped", [""]],
    ["left", ["for bob's “QoE”"]],
  ]);
});

test("a sentence says how many nodes have which fate", () => {
  expect(summarizeConsequences(told([fate("a", "new"), fate("b", "joined"), fate("c", "joined")]))).toBe(
    "1 node starts, 2 are running already (shared).",
  );
  expect(summarizeConsequences(told([fate("a", "joined")], { gone: [gone("b", "left")] }))).toBe(
    "1 node is running already (shared), 1 keeps running for others.",
  );
  expect(summarizeConsequences(told([fate("a", "kept"), fate("b", "kept")]))).toBe(
    "No changes: every node stays as it is.",
  );
});

test("where only names change it is said that nothing is restarted, and what was called how", () => {
  const nodes = [fate("b", "kept", { was: ["a"] }), fate("c", "kept")];
  expect(summarizeConsequences(told(nodes))).toBe(
    "Only a name changes: every node goes on, nothing is restarted.",
  );
  expect(groupsOf(told(nodes), NOW).map((group) => [group.id, group.lines[0]?.said])).toEqual([
    ["renamed", "called a until now"],
    ["kept", ""],
  ]);
  expect(summarizeConsequences(told([...nodes, fate("d", "new")]))).toBe(
    "1 node starts, 1 is renamed, 1 stays as it is.",
  );
});

test("nothing of the nodes is to be applied where none changes and all go on", () => {
  const kept = fate("a", "kept", { observed: "running" });
  expect(changesNothing(told([kept, fate("b", "kept", { observed: "starting" })]))).toBe(true);
  const others: Partial<Fate>[] = [
    { fate: "moved" },
    { observed: "failed" },
    { observed: "retrying" },
    { was: ["b"] },
  ];
  for (const other of others) expect(changesNothing(told([kept, { ...kept, ...other }]))).toBe(false);
  expect(changesNothing(told([kept], { gone: [gone("b", "stopped")] }))).toBe(false);
});

test("a plan that runs can be applied where no node changes, too", () => {
  expect(runQuestion("QoE", true, true)).toEqual({
    title: "Nothing changes for the nodes of “QoE”",
    act: "Apply",
    leave: "Close",
  });
  expect(runQuestion("QoE", true, false)).toMatchObject({ act: "Apply", leave: "Cancel" });
  expect(runQuestion("QoE", false, false).title).toBe("Run “QoE”?");
});

test("the events that are replayed are told by stream", () => {
  const nodes = [fate("a", "new", { reads: ["player", "ads"] })];
  expect(describeReplay(told(nodes, { replayed_events: { player: 1204, ads: 3 } }))).toBe(
    "Replays 1,204 stored events from player and 3 from ads.",
  );
  expect(describeReplay(told(nodes, { replayed_events: { player: 1, ads: 0 } }))).toBe(
    "Replays 1 stored event from player.",
  );
  expect(describeReplay(told(nodes, { replayed_events: { player: 0 } }))).toContain(
    "start with the next event",
  );
  expect(describeReplay(told([fate("a", "kept")]))).toBe("Replays no past events.");
});

test("whoever opens a stream by a run is told what is opened to whom", () => {
  const opens = [
    { stream: "closed", fields: ["state", "user"] },
    { stream: "other", fields: [] },
  ];
  const words = "This opens closed.state, closed.user, other to eve, and to all who may look at the plan.";
  expect(describeOpenedStreams({ opens }, "eve")).toBe(words);
  expect(describeOpenedStreams({ opens: [] }, "eve")).toBeNull();
  expect(changesNothing(told([fate("a", "kept", { observed: "running" })]))).toBe(true);
  expect(changesNothing(told([fate("a", "kept", { observed: "running" })], { opens }))).toBe(false);
});
