import { expect, test, vi } from "vitest";

test("what cannot be fetched while the server is away is fetched again", async () => {
  vi.useFakeTimers();
  let tries = 0;
  const react = vi.fn();
  vi.doMock("plotly.js-basic-dist-min", () => {
    tries += 1;
    if (tries === 1) throw new Error("the server is away");
    return { default: { react, purge: vi.fn(), Plots: { resize: vi.fn() } } };
  });
  const { plotly } = await import("./plotly");
  const found = plotly();
  await vi.advanceTimersByTimeAsync(10_000);
  const library = await found;
  expect(tries).toBe(2);
  expect(plotly()).toBe(found);
  vi.useRealTimers();

  const element = {} as HTMLElement;
  await library.react(element, [{ text: ["<b>"] }], { title: "a<b" }, { staticPlot: true });
  expect(react).toHaveBeenCalledWith(
    element,
    [{ text: ["&lt;b&gt;"] }],
    { title: "a&lt;b" },
    { staticPlot: true },
  );
});
