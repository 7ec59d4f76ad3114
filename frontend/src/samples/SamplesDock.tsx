import "./samples.css";
import { useEffect, useMemo, useState, type KeyboardEvent } from "react";
import { documentOf, useStudio } from "../plans/editor/store";
import { sortTopologically } from "../core/graph/arrange";
import { Resizer, useHeight } from "../core/ui/Resizer";
import { evaluate, load, loadEvents, loadTests, pollRecording } from "./actions";
import { edgesOf, wholeWindow } from "./answer";
import { Axis } from "./Axis";
import { Bar } from "./Bar";
import { EventLanes } from "./EventLanes";
import { SampleLane } from "./Lane";
import { ManageDialog } from "./ManageDialog";
import { RecordDialog } from "./RecordDialog";
import { expectedOf, sampleOf, set, useSamples } from "./store";
import { TestBar } from "./TestBar";
import { redo, run, save, undo } from "./tests";
import { TestsList } from "./TestsList";
import type { NodeAnswer } from "../core/api/samples";

const EVALUATE_AFTER_MS = 250;
const RUN_AFTER_MS = 700;
const LOOK_EVERY_MS = 1000;

/** What is drawn is computed anew when it changes; where the nodes lie does not matter. */
function useComputing(): void {
  const nodes = useStudio((state) => documentOf(state).nodes);
  const results = useStudio((state) => documentOf(state).results);
  const loaded = useSamples((state) => state.loaded);
  const sample = useSamples((state) => state.sample);
  const key = useSamples((state) => state.key);
  const group = useSamples((state) => state.group);
  const tests = useSamples((state) => state.tests);
  useEffect(() => {
    if (!loaded) return;
    const timer = window.setTimeout(() => void evaluate(), EVALUATE_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [nodes, results, loaded, sample, key, group]);
  useEffect(() => {
    if (!loaded) return;
    const timer = window.setTimeout(() => void run(), RUN_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [nodes, results, loaded, tests]);
}

function useLoading(): void {
  const plan = useStudio((state) => state.plan?.id);
  useEffect(() => {
    void load();
    return () => void save();
  }, []);
  useEffect(() => void loadTests(), [plan]);
  const unsaved = useSamples((state) => state.saving !== "saved");
  useEffect(() => {
    if (!unsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [unsaved]);
}

/** The events of the key, anew when there are others. */
function useEvents(): void {
  const sample = useSamples((state) => state.sample);
  const key = useSamples((state) => state.key);
  const events = useSamples((state) => state.answer?.events);
  useEffect(() => void loadEvents(), [sample, key, events]);
}

/** A sample that is being recorded is looked at until it is whole. */
function useRecording(): void {
  const recording = useSamples((state) => sampleOf(state)?.recording != null);
  useEffect(() => {
    if (!recording) return;
    const again = () =>
      void pollRecording().then(
        (more) => (more ? evaluate(true) : undefined),
        () => undefined,
      );
    const timer = window.setInterval(again, LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [recording]);
}

function onKeyDown(event: KeyboardEvent): void {
  const key = event.key.toLowerCase();
  const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
  if (!(event.ctrlKey || event.metaKey) || typing || (key !== "z" && key !== "y")) return;
  event.preventDefault();
  event.stopPropagation();
  if (key === "y" || event.shiftKey) redo();
  else undo();
}

/** The answers in the order of the data; the pinned key's, and the pinned group's. */
function useAnswers(): NodeAnswer[] {
  const document = useStudio(documentOf);
  const answer = useSamples((state) => state.answer);
  return useMemo(() => {
    const found = new Map(answer?.answers.map((one) => [one.node, one]));
    return sortTopologically(document).flatMap((name) => found.get(name) ?? []);
  }, [document, answer]);
}

function Empty() {
  const loaded = useSamples((state) => state.loaded);
  const sample = useSamples(sampleOf);
  const answer = useSamples((state) => state.answer);
  const failure = useSamples((state) => state.failure);
  const nodes = useStudio((state) => Object.keys(documentOf(state).nodes).length);
  if (!loaded) return null;
  if (failure !== null) return <p className="bad lanes-empty">{failure}</p>;
  if (!sample)
    return (
      <div className="lanes-empty">
        <p>Preview every node on sample events — nothing is started.</p>
        <p>
          <button type="button" className="primary" onClick={() => set({ dialog: "record" })}>
            Record or upload a sample
          </button>
        </p>
      </div>
    );
  if (nodes === 0) return <p className="faint lanes-empty">Add a node to see its values on the sample.</p>;
  if (sample.recording) return <p className="faint lanes-empty">Events appear here as soon as they come.</p>;
  return answer && <p className="faint lanes-empty">The sample has no events of the plan's keys.</p>;
}

function LeftOut() {
  const left = useSamples((state) => state.answer?.left_out);
  if (!left || left.length === 0) return null;
  const names = [...new Set(left.map(({ node }) => node))].join(", ");
  return (
    <p className="faint lanes-empty">
      Not computed, because these nodes or their inputs have problems: {names}.
    </p>
  );
}

/** How the files of the sample were decoded; and what was strange in them, while no answer says it. */
function Reading() {
  const sample = useSamples(sampleOf);
  const answered = useSamples((state) => state.answer !== null);
  const lines = (sample?.streams ?? []).flatMap(({ stream, notes, warnings }) => [
    ...notes.map((note) => `${stream}: ${note}.`),
    ...(answered ? [] : warnings.map(({ message, hint }) => `${stream}: ${message}; ${hint}.`)),
  ]);
  if (lines.length === 0) return null;
  return (
    <ul className="faint sample-reading" aria-label="Warnings of the sample" data-testid="sample-reading">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** When the events of the key happened. */
function useHappened(): readonly number[] {
  const events = useSamples((state) => state.events);
  return useMemo(() => Object.values(events).flatMap((some) => some.map(({ t }) => t)), [events]);
}

function Lanes({ answers }: { answers: readonly NodeAnswer[] }) {
  const [cursor, point] = useState<number | null>(null);
  const expected = useSamples(expectedOf);
  const held = useSamples((state) => state.window);
  const edges = useMemo(() => {
    const keys = new Set(answers.map(({ key }) => key));
    const painted = expected.filter(({ key }) => keys.has(key)).flatMap(({ spans }) => spans);
    return edgesOf(answers, painted);
  }, [answers, expected]);
  const happened = useHappened();
  const window = useMemo(() => held ?? wholeWindow(edges, happened), [held, edges, happened]);
  return (
    <div className="lanes-scroll" data-testid="sample-lanes" tabIndex={-1}>
      {answers.length > 0 && <Axis window={window} />}
      {answers.length > 0 && <EventLanes window={window} />}
      {answers.map((answer) => (
        <SampleLane key={answer.node} {...{ answer, window, edges, cursor, point }} />
      ))}
      {answers.length === 0 && <Empty />}
      <LeftOut />
      <Reading />
    </div>
  );
}

/** Below the canvas: what the plan says on a sample of events, and its tests. */
export function SamplesDock() {
  const [height, setHeight] = useHeight();
  const dialog = useSamples((state) => state.dialog);
  const answers = useAnswers();
  useLoading();
  useComputing();
  useEvents();
  useRecording();
  return (
    <section
      className="lanes samples"
      aria-label="Samples and tests"
      style={{ height }}
      onKeyDown={onKeyDown}
    >
      <Resizer height={height} setHeight={setHeight} />
      <Bar />
      <div className="samples-body">
        <TestsList />
        <div className="samples-main">
          <TestBar answers={answers} />
          <Lanes answers={answers} />
        </div>
      </div>
      {dialog === "record" && <RecordDialog />}
      {dialog === "manage" && <ManageDialog />}
    </section>
  );
}
