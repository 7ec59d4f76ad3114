import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api, ApiError } from "../../core/api/client";
import type { Consequences } from "../../core/api/consequences";
import { run } from "../drafts/planActions";
import { askToRun, confirmRun, closeRunDialog, useRun } from "./store";

vi.mock("../../core/api/client", async (original) => ({
  ...(await original<object>()),
  api: { foresee: vi.fn(), createPlan: vi.fn() },
}));
vi.mock("../drafts/planActions", () => ({ run: vi.fn(() => Promise.resolve(UNREACHABLE)), stop: vi.fn() }));

const UNREACHABLE = new ApiError(0, "unreachable", "The server cannot be reached.");
const CONSEQUENCES: Consequences = {
  placement: "isolated",
  nodes: [],
  gone: [],
  queries: [],
  replayed_events: {},
  opens: [],
  words: "",
};
const foresee = vi.mocked(api.foresee);

beforeEach(() => {
  vi.useFakeTimers();
  foresee.mockReset();
});
afterEach(() => {
  closeRunDialog();
  vi.useRealTimers();
});

test("what running would mean is asked again by itself until the server is back", async () => {
  foresee
    .mockRejectedValueOnce(UNREACHABLE)
    .mockRejectedValueOnce(new ApiError(502, "http_502", "Bad gateway."));
  foresee.mockResolvedValue(CONSEQUENCES);
  await askToRun();
  expect(useRun.getState().refusal?.words).toBe("The server cannot be reached. Retrying every 3 seconds.");
  await vi.advanceTimersByTimeAsync(3000);
  expect(useRun.getState()).toMatchObject({ consequences: null, refusal: { away: true } });
  await vi.advanceTimersByTimeAsync(3000);
  expect(useRun.getState()).toMatchObject({ consequences: CONSEQUENCES, refusal: null });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(foresee).toHaveBeenCalledTimes(3);
});

test("a refusal of the server is not asked again, nor what nobody waits for any more", async () => {
  foresee.mockRejectedValue(new ApiError(409, "problems", "The plan cannot run."));
  await askToRun();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(foresee).toHaveBeenCalledTimes(1);
  foresee.mockRejectedValue(UNREACHABLE);
  await askToRun();
  closeRunDialog();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(foresee).toHaveBeenCalledTimes(2);
});

test("where the server went away while a run was confirmed, it is asked anew what it would mean now", async () => {
  foresee.mockResolvedValue(CONSEQUENCES);
  await askToRun();
  await confirmRun();
  expect(useRun.getState().refusal?.away).toBe(true);
  await vi.advanceTimersByTimeAsync(3000);
  expect(foresee).toHaveBeenCalledTimes(2);
  expect(useRun.getState().refusal).toBeNull();
});

test("a run that fails after its dialog was left is not told in another one", async () => {
  foresee.mockResolvedValue(CONSEQUENCES);
  let fail: (error: unknown) => void = () => undefined;
  vi.mocked(run).mockReturnValueOnce(new Promise((resolve) => (fail = resolve)));
  await askToRun();
  const running = confirmRun();
  closeRunDialog();
  await askToRun();
  fail(UNREACHABLE);
  await running;
  expect(useRun.getState()).toMatchObject({ asking: "run", consequences: CONSEQUENCES, refusal: null });
});

test("a run that succeeds after its dialog was left is not what the next one still asks about", async () => {
  const after: Consequences = { ...CONSEQUENCES, words: "nothing changes" };
  foresee.mockResolvedValue(CONSEQUENCES);
  let end: (failure: unknown) => void = () => undefined;
  vi.mocked(run).mockReturnValueOnce(new Promise((resolve) => (end = resolve)));
  await askToRun();
  const running = confirmRun();
  closeRunDialog();
  await askToRun();
  foresee.mockResolvedValue(after);
  end(null);
  await running;
  expect(useRun.getState()).toMatchObject({ asking: "run", consequences: after, refusal: null });
  closeRunDialog();
});
