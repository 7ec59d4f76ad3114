import { expect, test } from "vitest";
import { after, remember, sampleEvents, STEPS } from "./steps";
import { STEP_COUNT } from "./store";

const page = (...found: string[]): Document =>
  ({
    querySelector: (selector: string) => (found.some((one) => selector.includes(one)) ? {} : null),
    querySelectorAll: () => [],
  }) as unknown as Document;

const placeOf = (id: string): number => STEPS.findIndex((step) => step.id === id);

test("the count of steps is known before they are loaded", () => {
  expect(STEPS).toHaveLength(STEP_COUNT);
});

test("each step can be come to: its address is a page on which it is, or one that leads there", () => {
  for (const stream of ["mine", ""])
    // who skips, has declared none
    for (const step of STEPS.filter(
      ({ id }) => !["run", "key", "late", "why", "pin", "alert", "end"].includes(id),
    ))
      expect(step.isHere(step.address({ stream }), { stream }), step.id).toBe(true);
});

test("the first step is taken where one is: it points at what every page has", () => {
  const begin = STEPS[placeOf("begin")];
  for (const path of ["/", "/plans/7/", "/plans/new/", "/nodes/abc/"])
    expect(begin?.isHere(path, { stream: "" }), path).toBe(true);
  expect(begin?.isHere("/dashboards/3/kiosk/", { stream: "" }), "a wall has no header").toBe(false);
});

test("all streams are the place of who has declared none, not of who has one to look at", () => {
  const arrived = STEPS[placeOf("arrived")];
  expect(arrived?.isHere("/streams/", { stream: "" })).toBe(true);
  expect(arrived?.isHere("/streams/", { stream: "mine" })).toBe(false);
  expect(arrived?.isHere("/streams/mine/", { stream: "mine" })).toBe(true);
});

test("a step goes on by itself only when what it asks for is done", () => {
  const sample = placeOf("sample");
  expect(after(sample, page(), "/streams/declare-new/")).toBe(sample);
  expect(after(sample, page("preview"), "/streams/declare-new/")).toBe(sample + 1);
  expect(after(placeOf("declare"), page(), "/streams/mine/")).toBe(placeOf("arrived"));
  expect(after(placeOf("declare"), page(), "/streams/declare-new/")).toBe(placeOf("declare"));
  expect(after(placeOf("begin"), page(), "/")).toBe(placeOf("begin"));
});

test("the stream that was declared is remembered, and told", () => {
  const memory = remember({ stream: "" }, "/streams/mine/");
  expect(memory).toEqual({ stream: "mine" });
  expect(remember(memory, "/streams/declare-new/")).toBe(memory);
  expect(STEPS[placeOf("set up")]?.words(memory)).toContain("“mine”");
});

test("the sample has three players, ids of their own, and some late events", () => {
  const events = sampleEvents(1_719_824_400_000)
    .split("\n")
    .map((line) => JSON.parse(line) as { session_id: string; event_id: string; t: number });
  expect(new Set(events.map((event) => event.session_id)).size).toBe(3);
  expect(new Set(events.map((event) => event.event_id)).size).toBe(events.length);
  expect(events.filter((event, i) => i > 0 && event.t < (events[i - 1]?.t ?? 0)).length).toBeGreaterThan(2);
});

test("once the run is confirmed, it is said that it starts, until the first result", () => {
  const shown = (status: string): Document =>
    ({ querySelectorAll: () => [{ dataset: { status } }] }) as unknown as Document;
  const run = STEPS[placeOf("run")];
  expect(run?.then?.isSo(shown("stopped"))).toBe(false);
  expect(run?.then?.isSo(shown("starting"))).toBe(true);
  expect(run?.then?.words).toContain("starting");
  expect(run?.isDone?.(shown("running"), "/plans/1/")).toBe(true);
});

test("a node is set up when nothing is left to mend, not even a warning of a field that is half typed", () => {
  const drawn = (problems: number): Document =>
    ({
      querySelector: (selector: string) => {
        if (selector.includes("problems")) return problems > 0 ? {} : null;
        return selector.includes("run") ? { disabled: false } : null;
      },
      querySelectorAll: () => [{ dataset: {} }],
    }) as unknown as Document;
  const place = placeOf("set up");
  expect(after(place, drawn(1), "/plans/1/")).toBe(place);
  expect(after(place, drawn(0), "/plans/1/")).toBe(place + 1);
});
