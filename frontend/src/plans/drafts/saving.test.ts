import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../../core/api/client";
import type { Plan } from "../../core/api/types";
import { drafts, type Save, type Saved } from "../../core/api/versions";
import { documentOf, buildInitialState, get, isUnsaved, set } from "../editor/store";
import { record, start, undo } from "../../core/graph/history";
import { begin, changed, resolveConflict, flush, receiveOthersSave, replaceDraft } from "./saving";
import { getDraft, forgetDraft } from "./store";

vi.mock("../../core/api/versions", () => ({
  drafts: { save: vi.fn(), create: vi.fn(), merge: vi.fn(), since: vi.fn() },
}));

const DOCUMENT = {
  version: 1 as const,
  name: "Plan",
  nodes: { a: { op: "not", comment: "" }, b: { op: "not", comment: "" } },
  results: ["a", "b"],
};
const PLAN = {
  id: 7,
  version: 1,
  owner: "ada",
  rights: ["read", "edit", "operate", "own"],
  document: DOCUMENT,
  running: false,
} as unknown as Plan;
const NOWHERE = { renames: {}, changes: [] };
const kept = new Map<string, string>();

const saveCalls = (): Save[] => vi.mocked(drafts.save).mock.calls.map(([, save]) => save);

function drawn(node: "a" | "b", comment: string): void {
  set((state) => {
    const document = documentOf(state);
    const nodes = { ...document.nodes, [node]: { op: "not", comment } };
    return { history: record(state.history, { ...document, nodes }, null, 0) };
  });
  changed();
}

const commentOf = (node: "a" | "b"): unknown => documentOf(get()).nodes[node]?.comment;

/** The server keeps what it gets. */
function keeps(version: number) {
  return async (_id: number, save: Save): Promise<Saved> => ({
    ...PLAN,
    version,
    document: save.document,
    changes: NOWHERE,
    words: "",
  });
}

function theyChanged(node: "a" | "b", after: string) {
  return { renames: {}, changes: [{ path: ["nodes", node, "comment"], before: "", after }] };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("localStorage", {
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  });
  vi.mocked(drafts.save).mockReset();
  vi.mocked(drafts.merge).mockReset();
  vi.mocked(drafts.since).mockReset();
  set({
    ...buildInitialState(),
    loaded: true,
    me: {
      username: "ada",
      is_staff: false,
      role: "editor",
      teams: [],
      theme: "system",
      zone: "",
      public_links: false,
    },
    plan: PLAN,
  });
  set({ saved: DOCUMENT, history: start(DOCUMENT) });
  forgetDraft();
  begin(null);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a new plan comes to be with the first thing that is drawn, and not by looking at it", async () => {
  vi.mocked(drafts.create).mockReset();
  vi.mocked(drafts.create).mockImplementation(({ document }) =>
    Promise.resolve({ ...PLAN, id: 8, version: 1, document } as unknown as Plan),
  );
  vi.stubGlobal("history", { replaceState: () => undefined });
  vi.stubGlobal("location", { search: "" });
  set({ ...buildInitialState(), loaded: true, me: get().me });
  begin(null);
  expect(await flush()).toBe(true);
  await vi.advanceTimersByTimeAsync(3000);
  expect(drafts.create).not.toHaveBeenCalled();
  expect(isUnsaved(get())).toBe(false);
  drawn("a", "x");
  expect(await flush()).toBe(true);
  expect(drafts.create).toHaveBeenCalledTimes(1);
  expect(get().plan?.id).toBe(8);
});

test("what is drawn is kept at once and sent when the hand rests", async () => {
  vi.mocked(drafts.save).mockImplementation(keeps(2));
  drawn("a", "x");
  expect(kept.size).toBe(1);
  expect(getDraft().saveState).toBe("unsaved");
  await vi.advanceTimersByTimeAsync(800);
  expect(saveCalls().map((save) => save.version)).toEqual([1]);
  expect(getDraft().saveState).toBe("saved");
  expect(get().plan?.version).toBe(2);
  expect(kept.size).toBe(0);
});

test("a hand that does not rest is not waited for longer than two seconds", async () => {
  vi.mocked(drafts.save).mockImplementation(keeps(2));
  for (let step = 0; step < 5; step += 1) {
    drawn("a", `step ${step}`);
    await vi.advanceTimersByTimeAsync(390);
  }
  expect(saveCalls().length).toBe(1);
});

test("nothing is sent of what was undone before", async () => {
  drawn("a", "x");
  set((state) => ({ history: undo(state.history) }));
  changed();
  await vi.advanceTimersByTimeAsync(3000);
  expect(saveCalls()).toEqual([]);
  expect(getDraft().saveState).toBe("saved");
});

test("a save without an answer is sent again as it was, under one name, until it is answered", async () => {
  vi.mocked(drafts.save)
    .mockRejectedValueOnce(new ApiError(0, "unreachable", "away"))
    .mockRejectedValueOnce(new ApiError(503, "not_written", "full"))
    .mockImplementation(keeps(2));
  drawn("a", "x");
  await vi.advanceTimersByTimeAsync(800);
  expect(getDraft().saveState).toBe("offline");
  await vi.advanceTimersByTimeAsync(5000);
  const [first, second, third] = saveCalls();
  expect(new Set([first?.edit, second?.edit, third?.edit]).size).toBe(1);
  expect(third).toEqual(first);
  expect(getDraft().saveState).toBe("saved");
});

test("what is drawn while a save is on its way goes with the next one", async () => {
  let answer: () => void = () => undefined;
  vi.mocked(drafts.save)
    .mockImplementationOnce(async (id, save) => {
      await new Promise<void>((done) => (answer = done));
      return keeps(2)(id, save);
    })
    .mockImplementation(keeps(3));
  drawn("a", "first");
  await vi.advanceTimersByTimeAsync(800);
  drawn("b", "second");
  answer();
  await vi.advanceTimersByTimeAsync(2000);
  expect(saveCalls().map((save) => [save.version, save.document.nodes.b?.comment])).toEqual([
    [1, ""],
    [2, "second"],
  ]);
});

test("what others did comes in with the answer, and one's own undo leaves it alone", async () => {
  vi.mocked(drafts.save).mockImplementationOnce(async (_id, save) => ({
    ...PLAN,
    version: 3,
    document: { ...save.document, nodes: { ...save.document.nodes, b: { op: "not", comment: "theirs" } } },
    changes: theyChanged("b", "theirs"),
    words: "Changed comment of b.",
  }));
  drawn("a", "mine");
  await flush();
  expect([commentOf("a"), commentOf("b")]).toEqual(["mine", "theirs"]);
  expect(getDraft().news?.words).toBe("Changed comment of b.");
  set((state) => ({ history: undo(state.history) }));
  expect([commentOf("a"), commentOf("b")]).toEqual(["", "theirs"]);
});

test("what others saved is fetched, without a save of one's own", async () => {
  const document = { ...DOCUMENT, nodes: { ...DOCUMENT.nodes, b: { op: "not", comment: "theirs" } } };
  const answer = { version: 2, saved_by: "bob", saved_at: null, document, words: "" };
  vi.mocked(drafts.since).mockResolvedValue({ ...answer, changes: theyChanged("b", "theirs") });
  receiveOthersSave(2, "bob");
  await vi.advanceTimersByTimeAsync(10);
  expect(commentOf("b")).toBe("theirs");
  expect(get().plan?.version).toBe(2);
  receiveOthersSave(2, "bob");
  await vi.advanceTimersByTimeAsync(10);
  expect(vi.mocked(drafts.since).mock.calls.length).toBe(1);
  expect(saveCalls()).toEqual([]);
});

test("where both changed the same the person is asked, and nothing more is sent until they choose", async () => {
  const conflict = { path: ["nodes", "a", "comment"], words: "comment of a", mine: "mine", theirs: "theirs" };
  const merge = { version: 5, saved_by: "bob", saved_at: null, document: DOCUMENT, conflicts: [conflict] };
  vi.mocked(drafts.save)
    .mockRejectedValueOnce(new ApiError(409, "conflict", "both"))
    .mockImplementation(keeps(6));
  vi.mocked(drafts.merge).mockResolvedValue(merge);
  drawn("a", "mine");
  await flush();
  expect([getDraft().saveState, getDraft().deciding]).toEqual(["conflict", true]);
  drawn("b", "goes on");
  await vi.advanceTimersByTimeAsync(5000);
  expect(saveCalls().length).toBe(1);
  await resolveConflict([{ path: conflict.path, take: "mine" }]);
  expect(saveCalls()[1]).toMatchObject({ against: 5, choices: [{ take: "mine" }], version: 1 });
  expect(saveCalls()[1]?.document.nodes.b?.comment).toBe("goes on");
  expect(getDraft().saveState).toBe("saved");
});

test("a base that the server no longer keeps is sent along", async () => {
  vi.mocked(drafts.save)
    .mockRejectedValueOnce(new ApiError(409, "base_unknown", "long ago"))
    .mockImplementation(keeps(200));
  drawn("a", "x");
  await flush();
  await vi.advanceTimersByTimeAsync(10);
  expect(saveCalls().map((save) => save.base)).toEqual([undefined, DOCUMENT]);
  expect(getDraft().saveState).toBe("saved");
});

test("a refusal is told, and the next edit tries again", async () => {
  vi.mocked(drafts.save)
    .mockRejectedValueOnce(new ApiError(413, "body_too_large", "The body is larger than 2 MiB."))
    .mockImplementation(keeps(2));
  drawn("a", "x");
  await flush();
  expect([getDraft().saveState, getDraft().reason]).toEqual(["refused", "The body is larger than 2 MiB."]);
  drawn("a", "y");
  await vi.advanceTimersByTimeAsync(800);
  expect(getDraft().saveState).toBe("saved");
});

test("a restored version is one step that can be undone", async () => {
  const document = { ...DOCUMENT, name: "As it was" };
  expect(await replaceDraft(async () => ({ ...PLAN, version: 4, document }))).toBe(true);
  expect(documentOf(get()).name).toBe("As it was");
  set((state) => ({ history: undo(state.history) }));
  expect(documentOf(get()).name).toBe("Plan");
});

test("nobody saves another person's plan", async () => {
  set({ plan: { ...PLAN, owner: "bob", rights: ["read"] } });
  drawn("a", "x");
  await vi.advanceTimersByTimeAsync(3000);
  expect(saveCalls()).toEqual([]);
});
