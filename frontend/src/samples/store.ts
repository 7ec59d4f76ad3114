/** What the dock of samples and tests shows. The actions that change it are in the files beside it. */
import { create } from "zustand";
import { start, type History } from "../core/graph/history";
import type { Window } from "../timechart/window";
import type {
  Evaluated,
  Expectation,
  Outcome,
  PlanTest,
  Sample,
  TestRun,
  TimedEvent,
} from "../core/api/samples";

export type Expected = readonly Expectation[];

export interface SamplesState {
  loaded: boolean;
  samples: readonly Sample[];
  sample: number | null;
  key: string;
  group: string;
  answer: Evaluated | null;
  evaluating: boolean;
  /** The raw events of the key, by stream. */
  events: Readonly<Record<string, readonly TimedEvent[]>>;
  failure: string | null;
  tests: readonly PlanTest[];
  /** The test that is open, and what it expects, with all steps back. */
  test: number | null;
  history: History<Expected>;
  saving: "saved" | "waiting" | "saving";
  run: TestRun | null;
  running: boolean;
  runFailure: string | null;
  /** A stretch that was zoomed to; null: everything. */
  window: Window | null;
  /** The node whose spans are shown as a table. */
  table: string | null;
  dialog: "record" | "manage" | null;
}

const NOTHING: Expected = [];

const fresh = (): SamplesState => ({
  loaded: false,
  samples: [],
  sample: null,
  key: "",
  group: "",
  answer: null,
  evaluating: false,
  events: {},
  failure: null,
  tests: [],
  test: null,
  history: start(NOTHING),
  saving: "saved",
  run: null,
  running: false,
  runFailure: null,
  window: null,
  table: null,
  dialog: null,
});

export const useSamples = create<SamplesState>(fresh);
export const get = useSamples.getState;
export const set = useSamples.setState;

export function begin(): void {
  set(fresh());
}

export const expectedOf = (state: SamplesState): Expected => state.history.present;

export const sampleOf = (state: SamplesState): Sample | undefined =>
  state.samples.find(({ id }) => id === state.sample);

export const testOf = (state: SamplesState): PlanTest | undefined =>
  state.tests.find(({ id }) => id === state.test);

export const outcomeOf = (state: SamplesState, id: number | null): Outcome | undefined =>
  state.run?.tests.find((test) => test.id === id);
