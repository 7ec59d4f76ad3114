import { useEffect } from "react";
import { isKnown } from "../../../plans/editor/runningNodes";
import { documentOf, useStudio, type StudioState } from "../../../plans/editor/store";
import { useLanes } from "../../../live/store";
import { useTesting } from "../../../samples/open";
import { AGAIN_MS, compute, drop, warnOfRunning } from "./actions";

const AFTER_MS = 500;

const namesOf = (state: StudioState): string[] => Object.keys(documentOf(state).nodes);

/** Whether a node is drawn that nobody computes: it has no timelines but those of a preview. */
const isAnyUnknown = (state: StudioState): boolean => namesOf(state).some((name) => !isKnown(state, name));

/** Asks after a moment, and again while the server is busy; the answer ends it. */
function repeat(ask: () => Promise<boolean>): () => void {
  let timer = 0;
  let current = true;
  const wait = (after: number) => {
    timer = window.setTimeout(() => void ask().then((isBusy) => isBusy && current && wait(AGAIN_MS)), after);
  };
  wait(AFTER_MS);
  return () => {
    current = false;
    window.clearTimeout(timer);
  };
}

/**
 * While nodes are drawn that do not run, what they say of the newest events. It stays until something is heard of the
 * nodes themselves; where others of the plan run, the pinned keys are theirs. Of a plan that runs as it is drawn, which
 * values of the newest events its nodes miss.
 */
export function usePreview(): void {
  const loaded = useStudio((state) => state.loaded);
  const nodes = useStudio((state) => documentOf(state).nodes);
  const results = useStudio((state) => documentOf(state).results);
  const isWanted = useStudio((state) => state.loaded && isAnyUnknown(state));
  const isRunning = useStudio((state) => state.loaded && namesOf(state).length > 0) && !isWanted;
  const mayPin = useStudio((state) => namesOf(state).every((name) => !isKnown(state, name)));
  const isTesting = useTesting((state) => state.open);
  const key = useLanes((state) => state.key);
  const group = useLanes((state) => state.group);
  useEffect(() => drop, [loaded]);
  useEffect(() => {
    if (!isWanted || isTesting) return;
    return repeat(() => compute(mayPin));
  }, [nodes, results, isWanted, isTesting, mayPin, key, group]);
  useEffect(() => {
    return isRunning && !isTesting ? repeat(warnOfRunning) : undefined;
  }, [nodes, results, isRunning, isTesting]);
}
