import { describe, expect, it } from "vitest";
import { countEvents, groupByWork, loadTemplates, selectTemplates } from "./templates";

const templates = await loadTemplates();
const titlesOf = (search: string) => selectTemplates(templates, search).map(({ title }) => title);

describe("templates", () => {
  it("are at least sixty, each with a plan that names its results and with events", () => {
    expect(templates.length).toBeGreaterThanOrEqual(60);
    for (const template of templates) {
      expect(template.plan.join("\n")).toMatch(/^results \w+$/m);
      expect(countEvents(template)).toBeGreaterThanOrEqual(10);
    }
  });

  it("are grouped by field of work, each in one group", () => {
    const groups = groupByWork(templates);
    expect(groups.map(([work]) => work)).toContain("Fraud and security");
    expect(groups.flatMap(([, members]) => members)).toHaveLength(templates.length);
    expect(new Set(groups.map(([work]) => work)).size).toBe(groups.length);
  });

  it.each([
    ["mtbf", "Mean time between failures"],
    ["history_stats ratio", "Share of the last hour that something was on"],
    ["funnel", "Funnel from visit to purchase"],
    ["burn rate", "Error budget burns in two windows"],
    ["impossible travel", "Card used in two countries within an hour"],
    ["games", "Winning streak"],
  ])("are found by other words: %s", (search, title) => {
    expect(titlesOf(search)).toContain(title);
  });

  it("are all there while nothing is typed, and none for a word that no template has", () => {
    expect(titlesOf("  ")).toHaveLength(templates.length);
    expect(titlesOf("xyzzy")).toEqual([]);
  });
});
