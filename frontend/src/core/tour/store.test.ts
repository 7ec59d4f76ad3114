import { beforeEach, expect, test, vi } from "vitest";
import { finish, go, hear, leave, note, recall, to, useTour } from "./store";

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  });
  recall("ada");
});

test("a tour that was left goes on at its step, for that user", () => {
  go();
  to(3);
  note({ stream: "mine" });
  leave();
  recall("bob");
  expect(useTour.getState()).toMatchObject({ going: "never", step: 0, stream: "" });
  recall("ada");
  expect(useTour.getState()).toMatchObject({ going: "left", step: 3, stream: "mine" });
  go();
  expect(useTour.getState()).toMatchObject({ going: "on", step: 3 });
});

test("who takes it up before it is known who they are goes on with what is kept of theirs", () => {
  to(4);
  leave();
  useTour.setState({ user: "", going: "never", step: 0, stream: "" });
  go();
  expect([...kept.keys()]).toEqual(["timelines tour ada"]);
  recall("ada");
  expect(useTour.getState()).toMatchObject({ user: "ada", going: "on", step: 4 });
});

test("a tour that was finished begins anew", () => {
  go();
  to(8);
  finish();
  recall("ada");
  go();
  expect(useTour.getState().step).toBe(0);
});

test("what cannot be read is as if there were none, and what cannot be kept is no trouble", () => {
  kept.set("timelines tour ada", '{"going": "mad"}');
  recall("ada");
  expect(useTour.getState().going).toBe("never");
  vi.stubGlobal("localStorage", {
    getItem: () => {
      throw new Error("not allowed");
    },
    setItem: () => {
      throw new Error("full");
    },
  });
  recall("ada");
  go();
  expect(useTour.getState().going).toBe("on");
});

test("finished in another tab is finished: leaving it here brings nothing back, taking it up does", () => {
  go();
  to(6);
  const here = useTour.getState();
  finish();
  useTour.setState(here);
  leave();
  expect(useTour.getState()).toMatchObject({ going: "done", step: 0 });
  recall("ada");
  expect(useTour.getState().going).toBe("done");
  go();
  expect(useTour.getState()).toMatchObject({ going: "on", step: 0 });
});

test("what another tab does is heard: the end at once, its steps only where the tour does not go on", () => {
  go();
  to(2);
  kept.set("timelines tour ada", '{"going": "on", "step": 5, "stream": ""}');
  hear();
  expect(useTour.getState()).toMatchObject({ going: "on", step: 2 });
  kept.set("timelines tour ada", '{"going": "done", "step": 0, "stream": ""}');
  hear();
  expect(useTour.getState().going).toBe("done");
  kept.set("timelines tour ada", '{"going": "left", "step": 5, "stream": ""}');
  hear();
  expect(useTour.getState()).toMatchObject({ going: "left", step: 5 });
});

test("it is open in one tab only: another offers to go on, and who goes on there ends it here", () => {
  const tabs = new Map<string, string>();
  const session = { getItem: (key: string) => tabs.get(key) ?? null, setItem: tabs.set.bind(tabs) };
  vi.stubGlobal("sessionStorage", session);
  go();
  to(2);
  const first = tabs.get("timelines tab") ?? "";
  recall("ada");
  expect(useTour.getState(), "the next page of the same tab").toMatchObject({ going: "on", step: 2 });
  tabs.set("timelines tab", "another");
  recall("ada");
  expect(useTour.getState()).toMatchObject({ going: "left", step: 2 });
  go();
  expect(useTour.getState()).toMatchObject({ going: "on", step: 2 });
  tabs.set("timelines tab", first);
  hear();
  expect(useTour.getState()).toMatchObject({ going: "left", step: 2 });
  vi.unstubAllGlobals();
});
