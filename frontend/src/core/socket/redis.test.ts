import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { askForRedis, type RedisState, OFTEN_MS, RedisWatch, SELDOM_MS } from "./redis";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function watched() {
  const page = { found: "there" as RedisState | null, asked: 0, told: [] as boolean[], hidden: false };
  const watch = new RedisWatch({
    ask: () => {
      page.asked += 1;
      return Promise.resolve(page.found);
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
  page.found = "away";
  await pass(SELDOM_MS);
  expect(page.told).toEqual([true]);
  page.found = null;
  await pass(OFTEN_MS);
  expect(page.told, "a server that cannot be asked says nothing of Redis").toEqual([true]);
  page.found = "there";
  await pass(OFTEN_MS);
  expect(page.told).toEqual([true, false]);
  expect(page.asked).toBe(4);
});

test("one look without an answer says nothing, two one after the other that it is away", async () => {
  const { page } = watched();
  await pass(0);
  page.found = "silent";
  await pass(SELDOM_MS);
  page.found = "there";
  await pass(OFTEN_MS);
  page.found = "silent";
  await pass(SELDOM_MS);
  expect(page.told).toEqual([]);
  await pass(OFTEN_MS);
  expect(page.told).toEqual([true]);
  await pass(OFTEN_MS);
  page.found = "there";
  await pass(OFTEN_MS);
  expect(page.told).toEqual([true, false]);
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
  expect(await askForRedis()).toBe("away");
  answer(503, { parts: { redis: { ready: false, word: "does not answer" } } });
  expect(await askForRedis(), "a busy machine").toBe("silent");
  answer(200, { status: "ready", parts: { redis: { ready: true, word: "ok" } } });
  expect(await askForRedis()).toBe("there");
  answer(429, { code: "throttled" });
  expect(await askForRedis()).toBeNull();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
  expect(await askForRedis()).toBeNull();
});
