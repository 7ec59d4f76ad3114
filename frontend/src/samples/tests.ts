/** Named actions on tests: make, open, paint, take, save, run. Changes are saved by themselves, and can be undone. */
import { ApiError, describeError } from "../core/api/client";
import { documentOf, get as studio, refusesChange } from "../plans/editor/store";
import * as history from "../core/graph/history";
import { chooseSample, loadTests, reportFailure } from "./actions";
import { calls, type TestChange } from "../core/api/sampleCalls";
import { expectationOf, paint, renamed, expectAnswer, withExpectation, withoutExpectation } from "./paint";
import type { Stretch } from "./paint";
import { expectedOf, get, outcomeOf, set, testOf, type Expected } from "./store";
import type { Expectation, NodeAnswer, PlanTest, ExpectedValue } from "../core/api/samples";

const SAVE_AFTER_MS = 600;
let timer = 0;

/** Why the tests cannot be changed here, or null. */
export function refusesTests(state: ReturnType<typeof studio>): string | null {
  if (state.plan === null) return "Save the plan first. Tests belong to a plan.";
  return refusesChange(state);
}

function change(next: (expected: Expected) => Expected, tag: string | null = null): void {
  if (refusesTests(studio()) !== null || get().test === null) return;
  set((state) => ({ history: history.record(state.history, next(expectedOf(state)), tag, Date.now()) }));
  saveSoon();
}

function saveSoon(): void {
  set({ saving: "waiting" });
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void save(), SAVE_AFTER_MS);
}

/** Save what is waiting to be saved, now. */
export async function save(): Promise<void> {
  window.clearTimeout(timer);
  const [test, plan, expected] = [testOf(get()), studio().plan?.id, expectedOf(get())];
  if (get().saving !== "waiting" || !test || !plan) return;
  set({ saving: "saving" });
  const sent = { name: test.name, sample: test.sample, version: test.version, expected: [...expected] };
  const done = await reportFailure(() => put(plan, test.id, sent));
  if (get().test !== test.id) return;
  if (!done) set({ saving: "waiting" });
  else if (expectedOf(get()) === expected) set({ saving: "saved" });
  else saveSoon();
}

async function put(plan: number, id: number, sent: TestChange & { version: number }): Promise<void> {
  try {
    keep(await calls.saveTest(plan, id, sent));
  } catch (error) {
    if (error instanceof ApiError && error.code === "conflict") await over(id);
    throw error;
  }
}

/** Somebody changed the test meanwhile: what is painted here stays, and theirs is one step back. */
async function over(id: number): Promise<void> {
  const mine = get().history;
  await loadTests();
  const theirs = get().tests.find((test) => test.id === id);
  if (theirs)
    set({
      history: history.record(history.start<Expected>(theirs.expected), mine.present, null, Date.now()),
    });
}

function keep(test: PlanTest): void {
  set((state) => ({
    tests: state.tests.some(({ id }) => id === test.id)
      ? state.tests.map((one) => (one.id === test.id ? test : one))
      : [...state.tests, test],
  }));
}

/** Open a test with its sample and the first key that it speaks of; null closes it. */
export async function open(id: number | null): Promise<void> {
  await save();
  const test = get().tests.find((one) => one.id === id);
  set({ test: test?.id ?? null, history: history.start(test?.expected ?? []), saving: "saved", table: null });
  if (!test) return;
  if (get().sample !== test.sample) chooseSample(test.sample);
  const { answer } = get();
  const key = test.expected.find((one) => !answer?.groups.includes(one.key))?.key;
  if (key !== undefined) set({ key });
}

/** Show another sample; a test that is open speaks of its own, and closes. */
export async function showSample(sample: number | null): Promise<void> {
  if (testOf(get()) && testOf(get())?.sample !== sample) await open(null);
  chooseSample(sample);
}

function freeName(): string {
  const names = new Set(get().tests.map(({ name }) => name));
  for (let n = names.size + 1; ; n += 1) if (!names.has(`Test ${n}`)) return `Test ${n}`;
}

/** A new test on the sample that is shown, which expects nothing yet. */
export async function make(): Promise<void> {
  await save();
  const [plan, { sample }] = [studio().plan?.id, get()];
  if (!plan || sample === null) return;
  await reportFailure(async () => {
    const test = await calls.makeTest(plan, { name: freeName(), sample, expected: [] });
    keep(test);
    await open(test.id);
  });
}

export async function forget(id: number): Promise<void> {
  const plan = studio().plan?.id;
  if (!plan) return;
  window.clearTimeout(timer);
  await reportFailure(async () => {
    await calls.forgetTest(plan, id);
    set((state) => ({ tests: state.tests.filter((test) => test.id !== id), saving: "saved" }));
    if (get().test === id) await open(null);
  });
}

export function renameTest(name: string): void {
  const test = testOf(get());
  if (!test || name.trim() === "" || name === test.name) return;
  keep({ ...test, name: name.trim() });
  saveSoon();
}

function digestOf(node: string): string | null {
  return studio().check?.answer.nodes[node]?.digest ?? null;
}

function expectation(expected: Expected, node: string, key: string): Expectation {
  return expectationOf(expected, node, key) ?? { node, key, spans: [], digest: digestOf(node) };
}

/** Paint a stretch; null wipes it away. */
export function paintStretch(node: string, key: string, stretch: Stretch, brush: ExpectedValue | null): void {
  change((expected) => {
    const held = expectation(expected, node, key);
    return withExpectation(expected, { ...held, spans: paint(held.spans, stretch, brush) });
  });
}

/** Expect what comes out now, of one node or of several. */
export function expectAnswers(answers: readonly NodeAnswer[]): void {
  change((before) =>
    answers.reduce<Expected>((expected, { node, key, points }) => {
      const held = expectation(expected, node, key);
      return withExpectation(expected, { ...held, digest: digestOf(node), spans: expectAnswer(points) });
    }, before),
  );
}

/** Change an expectation as it is written in the table. */
export function setExpectation(one: Expectation, tag: string | null = null): void {
  change((expected) => withExpectation(expected, one), tag && `${one.node} ${one.key} ${tag}`);
}

export function expectNothing(node: string, key: string): void {
  change((expected) => withoutExpectation(expected, node, key));
}

/** Take the new names of nodes into the open test. */
export function followNames(): void {
  const names = outcomeOf(get(), get().test)?.renamed ?? {};
  change((expected) => renamed(expected, names));
}

export function undo(): void {
  const before = get().history;
  set({ history: history.undo(before) });
  if (get().history !== before) saveSoon();
}

export function redo(): void {
  const before = get().history;
  set({ history: history.redo(before) });
  if (get().history !== before) saveSoon();
}

let asked = 0;

/** Run all tests of the plan against what is drawn now. */
export async function run(): Promise<void> {
  const plan = studio().plan?.id;
  if (!plan || get().tests.length === 0) return set({ run: null });
  asked += 1;
  const turn = asked;
  set({ running: true });
  try {
    const outcome = await calls.runTests(plan, documentOf(studio()));
    if (turn === asked) set({ run: outcome, runFailure: null });
  } catch (error) {
    if (turn === asked) set({ run: null, runFailure: describeError(error) });
  } finally {
    if (turn === asked) set({ running: false });
  }
}
