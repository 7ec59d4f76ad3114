import { expect, test, vi } from "vitest";
import { readPlan } from "./readImport";

vi.mock("../../core/api/client", async (original) => ({
  ...(await original<object>()),
  api: { check: () => Promise.resolve({ problems: [] }) },
}));

const PLAN = { version: 1, nodes: { played: { op: "has_existed", stream: "player" } } };
const DISPLAY = { played: { values: { true: { label: "Played" } } } };

test.each([
  ["an export with tests", { export: 1, plan: PLAN, samples: {}, tests: [], display: DISPLAY }],
  ["an answer of the API", { document: PLAN, display: DISPLAY }],
])("%s brings the colours and labels of its nodes", async (_, file) => {
  expect((await readPlan(JSON.stringify(file))).display).toEqual(DISPLAY);
});

test("a bare document brings none", async () => {
  expect((await readPlan(JSON.stringify(PLAN))).display).toEqual({});
});
