import { describe, expect, test } from "vitest";
import type { Funnel, FunnelStep } from "../core/api/timelines";
import { formatFunnelCsv, describeFunnelStops, formatPercent } from "./funnelWords";

const step = (more: Partial<FunnelStep>): FunnelStep => ({
  step: "search",
  count: 8,
  share: 1,
  share_of_previous: 1,
  median_seconds: null,
  stopped: 0,
  active: 0,
  expired: 0,
  broken: 0,
  ...more,
});

describe("a funnel in words", () => {
  test.each([
    [1, "100 %"],
    [0.625, "63 %"],
    [0.0625, "6.3 %"],
    [0, "0 %"],
  ])("a share of %s is %s", (share, words) => expect(formatPercent(share)).toBe(words));

  test("says how those ended that came no further", () => {
    expect(describeFunnelStops(step({ stopped: 1203, active: 3, expired: 1200 }))).toBe(
      "3 active, 1,200 expired",
    );
    expect(describeFunnelStops(step({ stopped: 2, broken: 2 }))).toBe("2 broken");
  });

  test("is a row for each step as CSV, whatever its steps are called", () => {
    const steps = [
      step({}),
      step({ step: "=1+1,", count: 3, share: 0.375, median_seconds: 1.5, stopped: 3 }),
    ];
    expect(formatFunnelCsv({ steps } as Funnel)).toBe(
      "step,count,share,share_of_previous,median_seconds,stopped,active,expired,broken\r\n" +
        "search,8,1,1,,0,0,0,0\r\n" +
        `"'=1+1,",3,0.375,1,1.5,3,0,0,0\r\n`,
    );
  });
});
