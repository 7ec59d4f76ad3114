import ELK from "elkjs/lib/elk.bundled.js";
import { afterEach, expect, test, vi } from "vitest";
import type { PlanDocument } from "../../core/api/types";
import { omitKey } from "../../core/graph/records";
import { CIRR, OPERATORS } from "../../core/graph/sample.testing";
import { withLayout } from "./firstLayout";

const BARE = omitKey(CIRR, "layout") as PlanDocument;
const elk = new ELK();

afterEach(() => void vi.useRealTimers());

test("a plan without a layout is laid out the same where the machine takes a minute for it", async () => {
  const quick = await withLayout(BARE, OPERATORS, () => Promise.resolve(elk));
  expect(Object.keys(quick.layout ?? {}).sort()).toEqual(Object.keys(BARE.nodes).sort());
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const slow = withLayout(BARE, OPERATORS, () =>
    Promise.resolve({
      layout: (graph) => new Promise((done) => setTimeout(done, 60_000)).then(() => elk.layout(graph)),
    }),
  );
  await vi.advanceTimersByTimeAsync(59_999);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  expect((await slow).layout).toEqual(quick.layout);
});

test("where it cannot be laid out it stays as it is, for plain columns", async () => {
  const broken = { layout: () => Promise.reject(new Error("no worker")) };
  expect(await withLayout(BARE, OPERATORS, () => Promise.resolve(broken))).toBe(BARE);
});
