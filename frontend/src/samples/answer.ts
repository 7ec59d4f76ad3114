/** What a plan says on a sample, for drawing: pieces, where they change, what can be seen of them. Pure. */
import { AS_GUESSED, formatNumber, labelOf, type Display } from "../timechart/display";
import type { Kind, Scalar } from "../core/api/types";
import { valueAt, type Piece } from "../timechart/pieces";
import { buildSpans, type Span } from "../timechart/spans";
import type { Window } from "../timechart/window";
import type { AnswerPoint, ExpectedSpan, NodeAnswer, ExpectedValue } from "../core/api/samples";

function pieceOf(t: number | null, said: ExpectedValue): Piece {
  if (said.num && said.den) return { t, value: said.num.value, slope: said.num.slope, den: { ...said.den } };
  return { t, value: said.value ?? null, slope: said.slope ?? 0 };
}

export function piecesOf(points: readonly AnswerPoint[]): Piece[] {
  return points.map((point) => pieceOf(point.t, point));
}

/** Expected spans as they are drawn: cut to the window, and nothing where nothing is expected. */
export function expectedIn(expected: readonly ExpectedSpan[], window: Window): Span[] {
  return expected.flatMap((expectedSpan) => {
    const end = { start: window.start, end: Math.min(window.end, expectedSpan.to ?? Infinity) };
    if (end.end <= window.start) return [];
    return buildSpans([pieceOf(expectedSpan.from, expectedSpan)], end, Infinity, null).map((part) => ({
      ...part,
      to: expectedSpan.to,
    }));
  });
}

/** All instants at which something changes, in order. */
export function edgesOf(answers: readonly NodeAnswer[], expected: readonly ExpectedSpan[]): number[] {
  const times = [
    ...answers.flatMap(({ points }) => points.map(({ t }) => t)),
    ...expected.flatMap(({ from, to }) => [from, to]),
  ];
  return [...new Set(times.filter((t): t is number => t !== null))].sort((a, b) => a - b);
}

const ROOM = 0.06;
const LEAST = 1_000_000;

/** Everything from the first change or event to the last one, with some room. */
export function wholeWindow(edges: readonly number[], events: readonly number[]): Window {
  const times = [...edges, ...events.filter(Number.isFinite)];
  const first = times.reduce((a, b) => Math.min(a, b), times[0] ?? 0);
  const last = times.reduce((a, b) => Math.max(a, b), times[0] ?? 0);
  const room = Math.max((last - first) * ROOM, LEAST);
  return { start: first - room, end: last + room };
}

/** The nearest edge, where one is near enough; else the instant in whole steps of what can be seen. */
export function snapToEdge(t: number, edges: readonly number[], near: number): number {
  const best = edges.reduce((a, b) => (Math.abs(b - t) < Math.abs(a - t) ? b : a), edges[0] ?? Infinity);
  if (Math.abs(best - t) <= near) return best;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(near / 2, 1))));
  return Math.round(t / step) * step;
}

/** The stretch between the two edges around an instant; null is since ever, or open. */
export function findStretchAround(
  t: number,
  edges: readonly number[],
): { from: number | null; to: number | null } {
  return { from: edges.findLast((edge) => edge <= t) ?? null, to: edges.find((edge) => edge > t) ?? null };
}

/** The values that could be expected of a node: those that it has, and those that are expected already. */
export function valuesOf(
  answer: NodeAnswer | undefined,
  expected: readonly ExpectedSpan[],
): (Scalar | null)[] {
  if (answer?.kind === "bool") return [true, false, null];
  const scalars = [...(answer?.points ?? []), ...expected].map(({ value }) => value ?? null);
  const known = [...new Set(scalars)].filter((value): value is Scalar => value !== null);
  return [...known.sort((a, b) => String(a).localeCompare(String(b))), null];
}

/** A number for people, with at most six digits. */
function digits(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });
}

export function spellSaid(said: ExpectedValue, display: Display = AS_GUESSED): string {
  const { value } = said;
  if (said.num && said.den) return formatNumber(said.num.value / said.den.value, display, digits);
  if (value === null || value === undefined) return "unknown";
  if (typeof value !== "number") return labelOf(value, display);
  const [slope, words] = [said.slope ?? 0, formatNumber(value, display, digits)];
  return slope === 0 ? words : `${words} (${slope > 0 ? "+" : ""}${digits(slope)}/s)`;
}

export const isNumber = (kind: Kind | null): boolean => kind === "number" || kind === "ratio";

/** What is said from another instant on. */
export function saidFrom(said: ExpectedValue, from: number | null, at: number | null): ExpectedValue {
  if (at === null || from === null || at === from) return said;
  if (said.num && said.den) {
    const line = (one: { value: number; slope: number }) => ({
      value: one.value + (one.slope * (at - from)) / 1_000_000,
      slope: one.slope,
    });
    return { num: line(said.num), den: line(said.den) };
  }
  if (typeof said.value !== "number") return said;
  return { ...said, value: valueAt(pieceOf(from, said), at) };
}
