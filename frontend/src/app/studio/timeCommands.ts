/** The commands of the lanes, and of samples and tests. */
import { openKeysPanel, useKeysPanel } from "../../live/keysPanel";
import { followNow, setPausedAt, setSpan, useLanes, readWallClock } from "../../live/store";
import { openAsOf, useAsOf } from "../../live/asOf";
import { compareWith } from "../../live/earlier";
import { COMPARISONS, type Comparison } from "../../timechart/compare";
import { CALENDAR_RANGES, LAST_RANGES, spellRange } from "../../core/time/range";
import { toggleTesting, useTesting } from "../../samples/open";
import type { Command } from "../../plans/editor/command";
import { get } from "../../plans/editor/store";

const noLanes = (): string | null =>
  Object.keys(useLanes.getState().lanes).length > 0 ? null : "No lanes yet. Run the plan.";

/** With the lanes in the dock, where samples and tests may be. */
function withLanes(act: () => void): void {
  if (useTesting.getState().open) toggleTesting();
  window.requestAnimationFrame(act);
}

function chooseKey(): void {
  withLanes(() => document.querySelector<HTMLInputElement>('.lanes [data-testid="key-input"]')?.focus());
}

const time = (title: string, words: readonly string[], act: () => void): Command => ({
  title,
  section: "Time",
  keys: [],
  words,
  run: () => withLanes(act),
  refuses: noLanes,
});

export const TIME: readonly Command[] = [
  time("Choose the key of the lanes", ["pin"], chooseKey),
  time("Show or hide the keys", ["search", "longest", "distribution", "true now", "panel"], () =>
    openKeysPanel(!useKeysPanel.getState().open),
  ),
  time("Pause the lanes, or go on", ["resume", "freeze"], () =>
    setPausedAt(useLanes.getState().pausedAt === null ? readWallClock() : null),
  ),
  time("Go live", ["live"], followNow),
  time("View as of an earlier moment, or now", ["history", "back in time"], () =>
    openAsOf(!useAsOf.getState().open),
  ),
  ...Object.entries(COMPARISONS).map(([comparison, words]) =>
    time(`Compare with ${words}`, ["yesterday", "last week", "previous", "earlier"], () =>
      compareWith(comparison as Comparison),
    ),
  ),
  ...[...LAST_RANGES, ...Object.keys(CALENDAR_RANGES)].map((range) =>
    time(`Show ${spellRange(range).replace("last", "the last")}`, ["window", "zoom", "range"], () =>
      setSpan(range),
    ),
  ),
  time("Show all time", ["window", "zoom", "range"], () => setSpan("all")),
];

/** Once the dock of samples and tests is open, and knows what there is. */
async function withTesting(act: () => Promise<void>): Promise<void> {
  if (!useTesting.getState().open) toggleTesting();
  const { useSamples } = await import("../../samples/store");
  const isLoaded = (): boolean => useSamples.getState().loaded;
  if (!isLoaded())
    await new Promise<void>((resolve) => {
      const end = useSamples.subscribe(() => {
        if (!isLoaded()) return;
        end();
        resolve();
      });
    });
  await act();
}

function openSamples(dialog: "record" | "manage"): Promise<void> {
  return withTesting(async () => (await import("../../samples/store")).set({ dialog }));
}

function runTests(): Promise<void> {
  return withTesting(async () => (await import("../../samples/tests")).run());
}

const unsaved = (): string | null => (get().plan ? null : "The plan is not saved yet.");

export const TEST: readonly Command[] = [
  {
    title: "Test on a sample: show or hide",
    section: "Test",
    keys: [],
    words: ["samples", "tests"],
    run: toggleTesting,
  },
  {
    title: "Run all tests",
    section: "Test",
    keys: [],
    run: () => void runTests(),
    refuses: unsaved,
  },
  {
    title: "Record or upload a sample",
    section: "Test",
    keys: [],
    words: ["events"],
    run: () => void openSamples("record"),
  },
  {
    title: "Samples: rename, delete",
    section: "Test",
    keys: [],
    words: ["manage"],
    run: () => void openSamples("manage"),
  },
];
