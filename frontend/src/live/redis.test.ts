import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isRedisThere, OFTEN_MS, RedisWatch, SELDOM_MS } from "./redis";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function watched() {
  const page = { there: true as boolean | null, asked: 0, told: [] as boolean[], hidden: false };
  const watch = new RedisWatch({
    ask: () => {
      page.asked += 1;
      return Promise.resolve(page.there);
    },
    told: (away) => page.told.push(away),
    later: (action, ms) => {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
    hidden: () => page.hidden,
  });
  return { watch, page };
}

test("that Redis went and came back is told once each, and looked at more often while it is away", async () => {
  const { page } = watched();
  await pass(0);
  page.there = false;
  await pass(SELDOM_MS);
  expect(page.told).toEqual([true]);
  page.there = null;
  await pass(OFTEN_MS);
  expect(page.told, "a server that cannot be asked says nothing of Redis").toEqual([true]);
  page.there = true;
  await pass(OFTEN_MS);
  expect(page.told).toEqual([true, false]);
  expect(page.asked).toBe(4);
});

test("nothing is asked while nobody looks, nor once the page is left", async () => {
  const { watch, page } = watched();
  await pass(0);
  page.hidden = true;
  await pass(3 * SELDOM_MS);
  expect(page.asked).toBe(1);
  page.hidden = false;
  await pass(SELDOM_MS);
  expect(page.asked).toBe(2);
  watch.end();
  await pass(3 * SELDOM_MS);
  expect(page.asked).toBe(2);
});

test("the server's answer counts whatever its number, and none is no answer", async () => {
  const answer = (status: number, body: unknown) =>
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json(body, { status })));
  answer(503, { status: "not ready", parts: { redis: { ready: false, word: "away" } } });
  expect(await isRedisThere()).toBe(false);
  answer(200, { status: "ready", parts: { redis: { ready: true, word: "ok" } } });
  expect(await isRedisThere()).toBe(true);
  answer(429, { code: "throttled" });
  expect(await isRedisThere()).toBeNull();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
  expect(await isRedisThere()).toBeNull();
});
