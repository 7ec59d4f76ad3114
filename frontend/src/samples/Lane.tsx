import { useMemo, useState } from "react";
import type { Kind } from "../core/api/types";
import { showNode } from "../plans/editor/edits";
import { useStudio } from "../plans/editor/store";
import { DARK, hasSwatch, LIGHT, swatchOf, type Register } from "../timechart/colours";
import { useDisplay } from "../timechart/displays";
import { buildFigure, LEFT, RIGHT, type Figure } from "../timechart/figure";
import { LanePlot } from "../timechart/LanePlot";
import { registerOfValues } from "../timechart/colourRegister";
import { readingAt, buildSpans, type Span } from "../timechart/spans";
import type { Window } from "../timechart/window";
import { useDark } from "../core/ui/theme";
import { expectedIn, isNumber, piecesOf, spellSaid, valuesOf } from "./answer";
import { zoom } from "./actions";
import { Brush } from "./Brush";
import { expectationOf } from "./paint";
import { SpanTable } from "./SpanTable";
import { expectedOf, outcomeOf, set, useSamples } from "./store";
import { placeOf, Strip } from "./Strip";
import { expectNothing, refusesTests, paintStretch, expectAnswers } from "./tests";
import type { Difference, Expectation, NodeAnswer, ExpectedValue } from "../core/api/samples";

const all = (): void => zoom(null);

/** The figures of what came out and of what is expected, with one scale where they are numbers. */
function useFigures(
  kind: Kind,
  got: readonly Span[],
  expected: readonly Span[],
  window: Window,
  register: Register,
) {
  const theme = useDark() ? DARK : LIGHT;
  return useMemo(() => {
    const drawn = (seen: readonly Span[]): Figure =>
      buildFigure({
        kind: isNumber(kind) ? "number" : kind,
        spans: seen,
        window,
        finalUntil: null,
        theme,
        register,
      });
    if (!isNumber(kind)) return [drawn(got), drawn(expected)] as const;
    const both = drawn([...got, ...expected]).layout as { yaxis: { range: unknown } };
    const scaled = ({ data, layout }: Figure): Figure => {
      const { yaxis } = layout as { yaxis: object };
      return { data, layout: { ...layout, yaxis: { ...yaxis, range: both.yaxis.range } } };
    };
    return [scaled(drawn(got)), scaled(drawn(expected))] as const;
  }, [kind, got, expected, window, theme, register]);
}

function Marks({ differences, window }: { differences: readonly Difference[]; window: Window }) {
  return differences.map((difference, i) => {
    const style = placeOf(difference, window);
    return style && <div key={i} className="difference" style={style} title={difference.words} />;
  });
}

interface LabelProps {
  answer: NodeAnswer;
  register: Register;
  at: number | null;
}

function Label({ answer, register, at }: LabelProps) {
  const dark = useDark();
  const reading = at === null ? null : readingAt(piecesOf(answer.points), at);
  const colour =
    reading && hasSwatch(answer.kind, reading.value, register.display)
      ? swatchOf(reading.value, dark ? DARK : LIGHT, register)
      : null;
  return (
    <div className="lane-label">
      <button
        type="button"
        className="quiet lane-name"
        title={`Show ${answer.node} on the canvas`}
        onClick={() => showNode(answer.node)}
      >
        {answer.node}
      </button>
      <span className="lane-value">
        {colour && <span className="swatch" style={{ background: colour }} aria-hidden="true" />}
        {reading && spellSaid({ value: reading.value, slope: reading.slope }, register.display)}
      </span>
    </div>
  );
}

interface ExpectedProps {
  answer: NodeAnswer;
  held: Expectation | undefined;
  figure: Figure;
  window: Window;
  edges: readonly number[];
  differences: readonly Difference[];
}

const STARTS: Readonly<Record<Kind, ExpectedValue>> = {
  bool: { value: true },
  text: { value: null },
  number: { value: 0, slope: 0 },
  ratio: { value: 0, slope: 0 },
};

function Buttons({ answer, held }: Pick<ExpectedProps, "answer" | "held">) {
  const { node, key } = answer;
  const table = useSamples((state) => state.table === node);
  return (
    <span className="expected-buttons">
      <button
        type="button"
        title={`Use the actual values of ${node}`}
        onClick={() => expectAnswers([answer])}
      >
        Use actual
      </button>
      {held && (
        <>
          <button
            type="button"
            aria-pressed={table}
            title="Edit times and values"
            onClick={() => set({ table: table ? null : node })}
          >
            Table
          </button>
          <button
            type="button"
            className="quiet"
            aria-label={`Expect nothing of ${node}`}
            title="Expect nothing"
            onClick={() => expectNothing(node, key)}
          >
            ×
          </button>
        </>
      )}
    </span>
  );
}

/** What is expected of the node: painted with the mouse or by keyboard. */
function ExpectedLane({ answer, held, figure: drawn, window, edges, differences }: ExpectedProps) {
  const { node, key, kind } = answer;
  const [brush, choose] = useState<ExpectedValue | null>(STARTS[kind]);
  const refusal = useStudio(refusesTests);
  const values = valuesOf(answer, held?.spans ?? []);
  return (
    <div
      className="lane lane-expected"
      data-testid={`expected-${node}`}
      data-spans={JSON.stringify(held?.spans ?? null)}
    >
      <div className="lane-label">
        <span className="faint">expected</span>
        {refusal === null && (
          <>
            <Brush node={node} kind={kind} values={values} brush={brush} choose={choose} />
            <Buttons answer={answer} held={held} />
          </>
        )}
      </div>
      <div className="lane-chart">
        <Strip
          label={`Expected of ${node}, ${key}`}
          window={window}
          edges={edges}
          paint={(stretch, wipe) => paintStretch(node, key, stretch, wipe ? null : brush)}
        >
          {held && <LanePlot figure={drawn} />}
          {!held && <span className="faint paint-empty">nothing is expected: drag to paint</span>}
          <Marks differences={differences} window={window} />
        </Strip>
      </div>
    </div>
  );
}

interface Props {
  answer: NodeAnswer;
  window: Window;
  edges: readonly number[];
  cursor: number | null;
  point: (at: number | null) => void;
}

const NONE: readonly Difference[] = [];

/** What one node says of the key; below it, where a test is open, what is expected. */
export function SampleLane({ answer, window, edges, cursor, point }: Props) {
  const { node, key, kind, points } = answer;
  const test = useSamples((state) => state.test);
  const held = useSamples((state) => expectationOf(expectedOf(state), node, key));
  const table = useSamples((state) => state.table === node);
  const mismatches = useSamples((state) => outcomeOf(state, state.test)?.differences ?? NONE);
  const differences = mismatches.filter((mismatch) => mismatch.node === node && mismatch.key === key);
  const got = useMemo(() => buildSpans(piecesOf(points), window, Infinity, null), [points, window]);
  const spans = useMemo(() => expectedIn(held?.spans ?? [], window), [held, window]);
  const display = useDisplay(node);
  const register = useMemo(
    () => registerOfValues(valuesOf(answer, held?.spans ?? []), display),
    [answer, held, display],
  );
  const [drawn, expected] = useFigures(kind, got, spans, window, register);
  const mark = cursor === null ? null : placeOf({ from: cursor, to: null }, window);
  const onMove = (event: React.MouseEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    point(share < 0 || share > 1 ? null : window.start + share * (window.end - window.start));
  };
  return (
    <div className="sample-row" onMouseLeave={() => point(null)}>
      <div
        className={`lane ${isNumber(kind) ? "lane-number" : ""}`}
        data-testid={`sample-lane-${node}`}
        data-key={key}
        data-points={JSON.stringify(points)}
      >
        <Label answer={answer} register={register} at={cursor} />
        <div className="lane-chart" onMouseMove={onMove}>
          <LanePlot figure={drawn} zoom={zoom} reset={all} />
          {mark && <div className="cursor" style={{ left: mark.left }} />}
        </div>
      </div>
      {test !== null && <ExpectedLane {...{ answer, held, window, edges, differences }} figure={expected} />}
      {test !== null && table && held && <SpanTable held={held} kind={kind} near={edges[0] ?? 0} />}
    </div>
  );
}
