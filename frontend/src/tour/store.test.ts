import { beforeEach, expect, test, vi } from "vitest";
import { finish, go, leave, note, recall, to, useTour } from "./store";

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
