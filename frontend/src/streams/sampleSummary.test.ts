import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Activity, Guessed } from "../core/api/streams";
import { describeSample, describeRejectedRows } from "./sampleSummary";
import { Readers } from "./Readers";

const told = (rows: number, refused: number, more: Partial<Guessed> = {}): Guessed =>
  ({
    rows,
    refused,
    looked_at: rows,
    warnings: [],
    format: "json_lines",
    why: "each line is an object",
    ...more,
  }) as Guessed;

test("what can be taken and what is refused are parts of what there is", () => {
  expect(describeSample(told(2, 2))).toBe(
    "2 lines, read as JSON lines: each line is an object. None valid, 2 would be rejected.",
  );
  expect(describeSample(told(7, 2))).toMatch(/5 valid, 2 would be rejected\.$/);
  expect(describeSample(told(1, 0))).toMatch(/^1 line, .* All are valid\.$/);
  expect(describeSample(told(9000, 1, { looked_at: 5000, format: "csv" }))).toMatch(
    /^9,000 rows, read as CSV: .* Of the first 5,000, 4,999 valid, 1 would be rejected\.$/,
  );
  expect(describeSample(told(3, 0, { looked_at: 0 })), "nobody knows yet").not.toContain("valid");
  expect(describeRejectedRows(told(2, 2))).toBe("2 lines would be rejected:");
  expect(describeRejectedRows(told(2, 1, { format: "csv" }))).toBe("1 row would be rejected:");
});

test("what waits is counted in whole events", () => {
  const counters = { events: 12 };
  const node = { digest: "d", operator: "not", lag: 3, observed: "running", words: "running", users: [] };
  const plans = [{ id: 1, name: "p", owner: "ada", running: true }];
  const nodes = [{ ...node, counters }];
  const activity = { plans, nodes, others: null } as unknown as Activity;
  const drawn = renderToStaticMarkup(createElement(Readers, { activity, name: "player" }));
  expect(drawn).toContain('<td class="number">3</td>');
});
