/** Named actions on samples: load, choose, evaluate, record, upload, forget. */
import { describeError, isMissing } from "../core/api/client";
import { documentOf, drawnIn, get as studio, set as setStudio } from "../plans/editor/store";
import type { Window } from "../timechart/window";
import { calls } from "../core/api/sampleCalls";
import { streamsOf } from "../core/graph/steps";
import { begin, get, sampleOf, set } from "./store";
import type { RecordWish, Sample, TimedEvent } from "../core/api/samples";
import type { Upload } from "../core/api/samples";

/** The streams that the plan reads. */
export function listStreamsRead(): string[] {
  const named = Object.values(documentOf(studio()).nodes).flatMap(streamsOf);
  return [...new Set(named)].sort();
}

function fits(sample: Sample): boolean {
  const has = new Set(sample.streams.map(({ stream }) => stream));
  const read = listStreamsRead();
  return read.length > 0 && read.every((stream) => has.has(stream));
}

/** Samples and tests of the plan; the first test's sample is shown, else the newest that fits. */
export async function load(): Promise<void> {
  begin();
  const plan = studio().plan?.id;
  try {
    const [samples, tests] = await Promise.all([calls.samples(), plan ? calls.tests(plan) : []]);
    const sample = tests[0]?.sample ?? samples.find(fits)?.id ?? null;
    set({ samples, tests, sample, loaded: true });
  } catch (error) {
    set({ loaded: true, failure: describeError(error) });
  }
}

/** The samples as they are now: others make and use them as well. */
export async function loadSamples(): Promise<void> {
  const samples = await calls.samples().catch(() => get().samples);
  set({ samples });
}

/** The tests anew, when the plan has got a number. */
export async function loadTests(): Promise<void> {
  const plan = studio().plan?.id;
  if (plan && get().loaded) set({ tests: await calls.tests(plan).catch(() => get().tests) });
}

export function chooseSample(sample: number | null): void {
  set({ sample, window: null, answer: null, failure: null });
}

function withTimes({ events, times }: Awaited<ReturnType<typeof calls.events>>) {
  const timed = Object.entries(events).map(([stream, some]) => [
    stream,
    some.map((event, place) => ({ t: times[stream]?.[place] ?? NaN, event })),
  ]);
  return Object.fromEntries(timed) as Record<string, TimedEvent[]>;
}

/** The events of the chosen key, by stream. */
export async function loadEvents(): Promise<void> {
  const { sample, key } = get();
  if (sample === null || key === "") return set({ events: {} });
  const answer = await calls.events(sample, key).catch((error: unknown) => {
    if (isMissing(error) && get().sample === sample) dropped(sample);
    return { events: {}, times: {} };
  });
  if (get().sample === sample && get().key === key) set({ events: withTimes(answer) });
}

export function chooseKey(what: "key" | "group", value: string): void {
  set({ [what]: value });
}

export function zoom(window: Window | null): void {
  set({ window });
}

/** The value where it is one of those that are known, or may be one of those that are not told; else the first. */
export const keepKnownValue = (value: string, known: readonly string[], count: number): string =>
  known.includes(value) || (value !== "" && count > known.length) ? value : (known[0] ?? "");

let asked = 0;
let told: readonly unknown[] = [];

/** Whether just this was told last: keys that were chosen by themselves are not asked for again. */
function isTold(question: readonly unknown[]): boolean {
  return question.every((part, i) => part === told[i]) && get().answer !== null;
}

/** Ask what every node says of the chosen key; of the first one while none is chosen. */
export async function evaluate(anew = false): Promise<void> {
  const { sample, key, group } = get();
  const document = documentOf(studio());
  if (!anew && isTold([document.nodes, document.results, sample, key, group])) return;
  asked += 1;
  const turn = asked;
  if (sample === null || Object.keys(document.nodes).length === 0) {
    setStudio({ sampleWarnings: null });
    return set({ answer: null, evaluating: false });
  }
  const keys = [key, group].filter((one) => one !== "");
  set({ evaluating: true });
  try {
    const question = { document, sample, partly: true as const, draft_of: drawnIn(studio()) };
    const answer = await calls.evaluate({ ...question, ...(keys.length > 0 ? { keys } : { most: 1 }) });
    if (turn !== asked) return;
    const next = {
      key: keepKnownValue(key, answer.keys, answer.key_count),
      group: keepKnownValue(group, answer.groups, answer.group_count),
    };
    // Keys that are chosen by themselves are asked for in a second turn, which the change of them brings about.
    const settled = keys.length === 0 || (next.key === key && next.group === group);
    if (settled) told = [document.nodes, document.results, sample, next.key, next.group];
    set({ ...next, evaluating: !settled, failure: null, ...(settled ? { answer } : {}) });
    setStudio({ sampleWarnings: { document, problems: answer.warnings } });
  } catch (error) {
    if (turn !== asked) return;
    if (isMissing(error)) dropped(sample);
    else set({ evaluating: false, failure: describeError(error) });
  }
}

/** A sample that somebody else deleted while it was shown is shown no longer. */
function dropped(id: number): void {
  const name = get().samples.find((sample) => sample.id === id)?.name ?? "";
  set((state) => ({ samples: state.samples.filter((sample) => sample.id !== id), evaluating: false }));
  chooseSample(null);
  const words = `The sample “${name}” is gone: somebody deleted it. Choose another, or record again.`;
  setStudio({ notice: { tone: "bad", text: words } });
}

function adopt(sample: Sample): void {
  set((state) => ({
    samples: [sample, ...state.samples.filter(({ id }) => id !== sample.id)],
    dialog: null,
    key: "",
    group: "",
    test: null,
  }));
  chooseSample(sample.id);
}

export async function record(wish: RecordWish): Promise<void> {
  adopt(await calls.record(wish));
}

export async function upload(name: string, uploads: Readonly<Record<string, Upload>>): Promise<void> {
  adopt(await calls.upload(name, uploads));
}

function replace(sample: Sample): void {
  set((state) => ({ samples: state.samples.map((one) => (one.id === sample.id ? sample : one)) }));
}

const eventsIn = (sample: Sample | undefined): number =>
  (sample?.streams ?? []).reduce((sum, { events }) => sum + events, 0);

/** Look whether more events have come to a sample that is being recorded; answers whether there are. */
export async function pollRecording(): Promise<boolean> {
  const before = sampleOf(get());
  if (!before?.recording) return false;
  const sample = await calls.sample(before.id);
  replace(sample);
  return eventsIn(sample) > eventsIn(before);
}

export async function stopRecording(): Promise<void> {
  const { sample } = get();
  if (sample !== null) await reportFailure(async () => replace(await calls.stop(sample)));
}

export async function rename(id: number, name: string): Promise<void> {
  await reportFailure(async () => replace(await calls.rename(id, name)));
}

export async function forget(id: number): Promise<void> {
  await reportFailure(async () => {
    await calls.forget(id);
    set((state) => ({ samples: state.samples.filter((sample) => sample.id !== id) }));
    if (get().sample === id) chooseSample(null);
  });
}

/** What fails is told where all notices are. */
export async function reportFailure(action: () => Promise<void>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    setStudio({ notice: { tone: "bad", text: describeError(error) } });
    return false;
  }
}
