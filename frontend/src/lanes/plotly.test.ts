import { expect, test, vi } from "vitest";

test("what cannot be fetched while the server is away is fetched again", async () => {
  vi.useFakeTimers();
  let tries = 0;
  vi.doMock("plotly.js-basic-dist-min", () => {
    tries += 1;
    if (tries === 1) throw new Error("the server is away");
    return { default: "the library" };
  });
  const { plotly } = await import("./plotly");
  const found = plotly();
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(found).resolves.toBe("the library");
  expect(tries).toBe(2);
  expect(plotly()).toBe(found);
  vi.useRealTimers();
});
