/** Calls of samples, evaluations and tests. */
import { call, list, send } from "./client";
import type { PlanDocument } from "./types";
import type {
  EvaluateQuestion,
  Evaluated,
  Expectation,
  PlanTest,
  RecordWish,
  Sample,
  SampleEvent,
  TestRun,
  Upload,
} from "./samples";

export interface TestChange {
  name: string;
  sample: number;
  expected: Expectation[];
}

const tests = (plan: number): string => `/api/plans/${plan}/tests/`;

function form(name: string, uploads: Readonly<Record<string, Upload>>): FormData {
  const body = new FormData();
  const chosen = Object.entries(uploads);
  const mapped = chosen.filter(([, { mapping }]) => mapping.length > 0);
  const mapping = Object.fromEntries(mapped.map(([stream, upload]) => [stream, upload.mapping]));
  body.set("request", JSON.stringify({ name, ...(mapped.length > 0 && { mapping }) }));
  for (const [stream, { file }] of chosen) body.set(stream, file);
  return body;
}

export const calls = {
  evaluate: (question: EvaluateQuestion) => call<Evaluated>("POST", "/api/evaluate/", question),
  samples: () => list<Sample>("/api/samples/?limit=200"),
  sample: (id: number) => call<Sample>("GET", `/api/samples/${id}/`),
  record: (wish: RecordWish) => call<Sample>("POST", "/api/samples/", wish),
  upload: (name: string, uploads: Readonly<Record<string, Upload>>) =>
    send<Sample>("POST", "/api/samples/", {}, form(name, uploads)),
  keep: (name: string, events: Readonly<Record<string, readonly SampleEvent[]>>) =>
    call<Sample>("POST", "/api/samples/", { name, events }),
  rename: (id: number, name: string) => call<Sample>("PUT", `/api/samples/${id}/`, { name }),
  stop: (id: number) => call<Sample>("PUT", `/api/samples/${id}/`, { recording: false }),
  forget: (id: number) => call<null>("DELETE", `/api/samples/${id}/`),
  events: (id: number, key: string) =>
    call<{ events: Record<string, SampleEvent[]>; times: Record<string, number[]> }>(
      "GET",
      `/api/samples/${id}/events/?${new URLSearchParams({ key })}`,
    ),
  tests: (plan: number) => list<PlanTest>(tests(plan)),
  makeTest: (plan: number, test: TestChange) => call<PlanTest>("POST", tests(plan), test),
  saveTest: (plan: number, id: number, test: TestChange & { version: number }) =>
    call<PlanTest>("PUT", `${tests(plan)}${id}/`, test),
  forgetTest: (plan: number, id: number) => call<null>("DELETE", `${tests(plan)}${id}/`),
  runTests: (plan: number, document: PlanDocument) =>
    call<TestRun>("POST", `${tests(plan)}run/`, { document }),
  exported: (plan: number) => call<object>("GET", `${tests(plan)}export/`),
};
