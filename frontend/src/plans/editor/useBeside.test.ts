import { afterEach, expect, test, vi } from "vitest";
import { onceDrawn } from "./useBeside";

/** A window whose sizes are told and whose frames are drawn when the test says so. */
function windowWithout() {
  const told: (() => void)[] = [];
  const frames = new Map<number, () => void>();
  class Watch {
    constructor(private readonly tell: () => void) {}
    observe = () => told.push(this.tell);
    disconnect = () => told.splice(0);
  }
  vi.stubGlobal("ResizeObserver", Watch);
  vi.stubGlobal("requestAnimationFrame", (act: () => void) => frames.set(frames.size + 1, act).size);
  vi.stubGlobal("cancelAnimationFrame", (frame: number) => frames.delete(frame));
  const resize = () => [...told].forEach((tell) => tell());
  return { resize, draw: () => frames.forEach((act) => act()), watched: () => told.length };
}

const canvas = {} as Element;

afterEach(() => vi.unstubAllGlobals());

test("it is done once, when the canvas has its size", () => {
  const { resize, draw, watched } = windowWithout();
  const act = vi.fn();
  onceDrawn(canvas, act);
  draw();
  expect(act).not.toHaveBeenCalled();
  resize();
  resize();
  draw();
  expect(act).toHaveBeenCalledOnce();
  expect(watched()).toBe(0);
});

test("what was closed meanwhile moves nothing", () => {
  const { resize, draw } = windowWithout();
  const act = vi.fn();
  const end = onceDrawn(canvas, act);
  resize();
  end();
  draw();
  expect(act).not.toHaveBeenCalled();
});
