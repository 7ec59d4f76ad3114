import { useEffect } from "react";
import { isKnown } from "../editor/applied";
import { documentOf, useStudio, type StudioState } from "../editor/store";
import { useLanes } from "../lanes/store";
import { useTesting } from "../samples/open";
import { AGAIN_MS, compute, drop } from "./actions";

const AFTER_MS = 500;

const namesOf = (state: StudioState): string[] => Object.keys(documentOf(state).nodes);

/** Whether a node is drawn that nobody computes: it has no timelines but those of a preview. */
const isAnyUnknown = (state: StudioState): boolean => namesOf(state).some((name) => !isKnown(state, name));

/**
 * While nodes are drawn that do not run, what they say of the newest events. It stays until something is heard of the
 * nodes themselves; where others of the plan run, the pinned keys are theirs.
 */
export function usePreview(): void {
  const loaded = useStudio((state) => state.loaded);
  const nodes = useStudio((state) => documentOf(state).nodes);
  const results = useStudio((state) => documentOf(state).results);
  const isWanted = useStudio((state) => state.loaded && isAnyUnknown(state));
  const mayPin = useStudio((state) => namesOf(state).every((name) => !isKnown(state, name)));
  const isTesting = useTesting((state) => state.open);
  const key = useLanes((state) => state.key);
  const group = useLanes((state) => state.group);
  useEffect(() => drop, [loaded]);
  useEffect(() => {
    if (!isWanted || isTesting) return;
    let timer = 0;
    let current = true;
    const ask = (after: number) => {
      const again = (isBusy: boolean) => isBusy && current && ask(AGAIN_MS);
      timer = window.setTimeout(() => void compute(mayPin).then(again), after);
    };
    ask(AFTER_MS);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [nodes, results, isWanted, isTesting, mayPin, key, group]);
}
