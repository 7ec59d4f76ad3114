import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";

const FRONTEND = resolve(import.meta.dirname, "../..");
const CRUISER = join(FRONTEND, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
const FENCES = join(FRONTEND, ".dependency-cruiser.js");
const made: string[] = [];

interface Violation {
  from: string;
  rule: { name: string };
}

/** A page of these files, each with the files that it imports. */
function makePage(files: Readonly<Record<string, readonly string[]>>): string {
  const folder = mkdtempSync(join(tmpdir(), "fences-"));
  made.push(folder);
  for (const [file, imported] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    const lines = imported.map((other, i) => `import { x as x${i} } from "${other}";`);
    writeFileSync(join(folder, file), [...lines, "export const x = 1;", ""].join("\n"));
  }
  writeFileSync(join(folder, "tsconfig.json"), "{}");
  return folder;
}

/** Which fences a page breaks, and in which of its files. */
function brokenFences(folder: string): string[] {
  const args = [CRUISER, "--config", FENCES, "--output-type", "json", "src"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[] } };
  return [...new Set(summary.violations.map(({ from, rule }) => `${rule.name}: ${from}`))].sort();
}

afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true })));

const KIT = { "src/core/ui/a.ts": [], "src/timechart/a.ts": ["../core/ui/a"] };

test("each fence between the rooms fails where it is broken", { timeout: 60_000 }, () => {
  const page = makePage({
    ...KIT,
    "src/core/graph/low.ts": ["../../timechart/a"],
    "src/timechart/high.ts": ["../live/a"],
    "src/live/a.ts": [],
    "src/dashboards/a.ts": ["../live/a"],
    "src/people/a.ts": ["../app/a"],
    "src/app/a.ts": [],
    "src/plans/editor/a.ts": ["../drafts/a"],
    "src/plans/drafts/a.ts": [],
    "src/samples/a.ts": ["../plans/editor/store", "../plans/editor/a"],
    "src/plans/editor/store.ts": [],
    "src/streams/one.ts": ["./two"],
    "src/streams/two.ts": ["./one"],
    "src/sinks/in/a.ts": ["../out/a"],
    "src/sinks/out/a.ts": [],
    "src/sinks/out/b.ts": ["../in/a"],
    "src/elsewhere/a.ts": ["../core/ui/a"],
  });
  expect(brokenFences(page)).toEqual([
    "core-is-the-ground-floor: src/core/graph/low.ts",
    "dashboards-is-independent: src/dashboards/a.ts",
    "no-cycle-of-files: src/streams/one.ts",
    "no-cycle-of-rooms: src/sinks/in",
    "no-cycle-of-rooms: src/sinks/out",
    "no-room-without-a-name: src/elsewhere/a.ts",
    "nothing-imports-app: src/people/a.ts",
    "samples-is-independent: src/samples/a.ts",
    "the-editor-imports-no-part-of-plans: src/plans/editor/a.ts",
    "timechart-knows-core-alone: src/timechart/high.ts",
  ]);
});

test("a page that keeps to its rooms breaks no fence", { timeout: 60_000 }, () => {
  const page = makePage({
    ...KIT,
    "src/live/a.ts": ["../timechart/a", "../core/ui/a"],
    "src/plans/editor/store.ts": ["../../core/ui/a"],
    "src/samples/a.ts": ["../plans/editor/store"],
    "src/app/a.ts": ["../live/a", "../samples/a"],
  });
  expect(brokenFences(page)).toEqual([]);
});
