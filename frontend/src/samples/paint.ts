/** Expected spans, painted over by hand: in order, without overlaps, no two neighbours that say the same. Pure. */
import { omitKey } from "../core/graph/records";
import { saidFrom } from "./answer";
import type { AnswerPoint, ExpectedSpan, Expectation, ExpectedValue } from "../core/api/samples";

export interface Stretch {
  from: number | null;
  to: number | null;
}

const start = (t: number | null): number => t ?? -Infinity;
const end = (t: number | null): number => t ?? Infinity;

const saidIn = (span: ExpectedSpan): ExpectedValue => omitKey(omitKey(span, "from"), "to");

/** A part of a span. */
function cut(span: ExpectedSpan, from: number | null, to: number | null): ExpectedSpan {
  return { ...saidFrom(saidIn(span), span.from, from), from, to };
}

function outside(span: ExpectedSpan, { from, to }: Stretch): ExpectedSpan[] {
  const before = start(span.from) < start(from) ? [cut(span, span.from, minimum(span.to, from))] : [];
  const after = end(span.to) > end(to) ? [cut(span, maximum(span.from, to), span.to)] : [];
  return [...before, ...after];
}

/** Of two ends the earlier one; null is open. */
const minimum = (a: number | null, b: number | null): number | null => (end(a) < end(b) ? a : b);
/** Of two beginnings the later one; null is since ever. */
const maximum = (a: number | null, b: number | null): number | null => (start(a) > start(b) ? a : b);

function goesOn(last: ExpectedSpan, next: ExpectedSpan): boolean {
  if (last.to === null || last.to !== next.from) return false;
  return JSON.stringify(saidFrom(saidIn(last), last.from, last.to)) === JSON.stringify(saidIn(next));
}

function normal(spans: readonly ExpectedSpan[]): ExpectedSpan[] {
  const expectedSpans: ExpectedSpan[] = [];
  for (const span of [...spans].sort((a, b) => start(a.from) - start(b.from))) {
    const last = expectedSpans.at(-1);
    if (last && goesOn(last, span)) expectedSpans[expectedSpans.length - 1] = { ...last, to: span.to };
    else expectedSpans.push(span);
  }
  return expectedSpans;
}

/** Set a stretch to a value; without one nothing is expected there. */
export function paint(
  spans: readonly ExpectedSpan[],
  stretch: Stretch,
  said: ExpectedValue | null,
): ExpectedSpan[] {
  if (start(stretch.from) >= end(stretch.to)) return [...spans];
  const rest = spans.flatMap((span) => outside(span, stretch));
  return normal(said === null ? rest : [...rest, { ...said, ...stretch }]);
}

/** What comes out, as what is expected from now on. */
export function expectAnswer(points: readonly AnswerPoint[]): ExpectedSpan[] {
  return points.map(({ t, ...said }, i) => ({ from: t, to: points[i + 1]?.t ?? null, ...said }));
}

const isOf = (node: string, key: string) => (expectation: Expectation) =>
  expectation.node === node && expectation.key === key;

export function expectationOf(expected: readonly Expectation[], node: string, key: string) {
  return expected.find(isOf(node, key));
}

/** The expectations with another one for its node and key. */
export function withExpectation(expected: readonly Expectation[], expectation: Expectation): Expectation[] {
  const there = isOf(expectation.node, expectation.key);
  return expected.some(there)
    ? expected.map((held) => (there(held) ? expectation : held))
    : [...expected, expectation];
}

export function withoutExpectation(expected: readonly Expectation[], node: string, key: string) {
  return expected.filter((expectation) => !isOf(node, key)(expectation));
}

/** The expectations under the new names of nodes. */
export function renamed(expected: readonly Expectation[], names: Readonly<Record<string, string>>) {
  return expected.map((expectation) => ({
    ...expectation,
    node: names[expectation.node] ?? expectation.node,
  }));
}
