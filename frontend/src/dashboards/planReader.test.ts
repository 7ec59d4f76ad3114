import { expect, test } from "vitest";
import { createPlanReader, type Read } from "./planReader";

/** Plans whose answers come when the test says so. */
function reading() {
  const waiting = new Map<number, { answer: (known: string) => void; refuse: (error: Error) => void }>();
  const then: string[] = [];
  let state: Read<string> = { known: "old", pending: null, failure: null };
  const choose = createPlanReader<string>(
    (id) => new Promise((answer, refuse) => waiting.set(id, { answer, refuse })),
    (change) => (state = { ...state, ...change }),
    (known) => then.push(known),
  );
  return { choose, waiting, then, state: () => state };
}

test("until the plan is read it is pending by its name", async () => {
  const { choose, waiting, then, state } = reading();
  const done = choose({ id: "7", title: "Players" });
  expect(state()).toEqual({ known: "old", pending: "Players", failure: null });
  waiting.get(7)?.answer("players");
  await done;
  expect([state(), then]).toEqual([{ known: "players", pending: null, failure: null }, ["players"]]);
});

test("a plan that cannot be read leaves the old one, and nothing pending", async () => {
  const { choose, waiting, then, state } = reading();
  const done = choose({ id: "7", title: "Players" });
  waiting.get(7)?.refuse(new Error("Gone."));
  await done;
  expect(state()).toMatchObject({ known: "old", pending: null });
  expect(state().failure).not.toBeNull();
  expect(then).toEqual([]);
  void choose({ id: "8", title: "Others" });
  expect(state()).toMatchObject({ pending: "Others", failure: null });
});

test("an earlier choice that is answered last changes nothing", async () => {
  const { choose, waiting, then, state } = reading();
  const [first, second] = [choose({ id: "7", title: "Players" }), choose({ id: "8", title: "Others" })];
  waiting.get(8)?.answer("others");
  await second;
  waiting.get(7)?.answer("players");
  await first;
  expect([state().known, state().pending, then]).toEqual(["others", null, ["others"]]);
});
