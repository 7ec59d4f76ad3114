import { describe, expect, test } from "vitest";
import { DrawQueue } from "./drawQueue";

/** A page whose clock and frames are turned by hand. */
function page() {
  let now = 0;
  let frames: (() => void)[] = [];
  let timers: { at: number; action: () => void }[] = [];
  const turns = new DrawQueue({
    now: () => now,
    frame: (action) => void frames.push(action),
    later: (action, ms) => void timers.push({ at: now + ms, action }),
  });
  const pass = (ms: number) => {
    now += ms;
    const [due, later] = [timers.filter(({ at }) => at <= now), timers.filter(({ at }) => at > now)];
    timers = later;
    due.forEach(({ action }) => action());
  };
  const frame = () => {
    const some = frames;
    frames = [];
    some.forEach((action) => action());
  };
  return { turns, pass, frame };
}

describe("lanes are drawn by turns", () => {
  test("few in a frame, in the order in which they asked, and none of them left out", () => {
    const { turns, pass, frame } = page();
    const drawn: string[] = [];
    for (const name of ["a", "b", "c"])
      turns.ask({}, () => {
        drawn.push(name);
        pass(10);
      });
    expect(drawn).toEqual([]);
    frame();
    expect(drawn).toEqual(["a"]);
    frame();
    frame();
    expect(drawn).toEqual(["a", "b", "c"]);
  });

  test("what is cheap is drawn in one frame", () => {
    const { turns, frame } = page();
    const drawn: string[] = [];
    for (const name of ["a", "b", "c"]) turns.ask({}, () => drawn.push(name));
    frame();
    expect(drawn).toEqual(["a", "b", "c"]);
  });

  test("who asks again before its turn is drawn once, as it is then", () => {
    const { turns, frame } = page();
    const drawn: string[] = [];
    const who = {};
    turns.ask(who, () => drawn.push("before"));
    turns.ask(who, () => drawn.push("after"));
    frame();
    expect(drawn).toEqual(["after"]);
  });

  test("nobody is drawn while the window moves, and everybody once it rests", () => {
    const { turns, pass, frame } = page();
    const drawn: string[] = [];
    for (let move = 0; move < 5; move++) {
      turns.move();
      pass(16);
    }
    turns.ask({}, () => drawn.push("a"));
    frame();
    pass(50);
    turns.move();
    pass(100);
    frame();
    expect(drawn).toEqual([]);
    pass(200);
    frame();
    pass(200);
    frame();
    expect(drawn).toEqual(["a"]);
  });

  test("what will not do is drawn while the window moves, one at a time", () => {
    const { turns, pass, frame } = page();
    const drawn: string[] = [];
    const go = (ms: number) => {
      turns.move();
      pass(ms);
      frame();
    };
    go(16);
    go(16);
    turns.ask({}, () => drawn.push("far"), true);
    turns.ask({}, () => drawn.push("near"));
    turns.ask({}, () => drawn.push("far too"), true);
    [0, 1, 2, 3].forEach(() => go(16));
    expect(drawn).toEqual(["far"]);
    [0, 1, 2, 3].forEach(() => go(16));
    expect(drawn).toEqual(["far", "far too"]);
    [0, 1, 2, 3].forEach(() => go(16));
    expect(drawn).toEqual(["far", "far too"]);
  });

  test("a clock that ticks is no gesture", () => {
    const { turns, pass, frame } = page();
    const drawn: string[] = [];
    turns.move();
    pass(1000);
    turns.move();
    turns.ask({}, () => drawn.push("a"));
    frame();
    expect(drawn).toEqual(["a"]);
  });

  test("one that fails does not keep the others from theirs", () => {
    const { turns, frame } = page();
    const drawn: string[] = [];
    turns.ask({}, () => {
      throw new Error("no room");
    });
    turns.ask({}, () => drawn.push("b"));
    expect(frame).toThrow("no room");
    frame();
    expect(drawn).toEqual(["b"]);
  });

  test("who is gone is not drawn", () => {
    const { turns, frame } = page();
    const drawn: string[] = [];
    const who = {};
    turns.ask(who, () => drawn.push("a"));
    turns.forget(who);
    frame();
    expect(drawn).toEqual([]);
  });
});
