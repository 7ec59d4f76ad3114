/** What keeps a dashboard's page true: loading, sources, other people's saves, keys, the warning on leaving. */
import { useEffect } from "react";
import { getConnection } from "../core/socket/pageConnection";
import { checkForSave, load, resolveSources, save } from "./server";
import { documentOf, get, isUnsaved, redo, undo, useBoard } from "./store";

const AGAIN_MS = 5000;
const LOOK_MS = 15_000;

/** Load; and try again while there is nothing to be seen, for a screen that nobody sits at. */
export function useLoading(id: number): void {
  const failed = useBoard((state) => state.failure !== null && state.board === null);
  useEffect(() => void load(id), [id]);
  useEffect(() => {
    if (!failed) return;
    const timer = window.setInterval(() => void load(id), AGAIN_MS);
    return () => window.clearInterval(timer);
  }, [failed, id]);
  useEffect(() => {
    const look = () => {
      if (!document.hidden) void checkForSave();
    };
    const timer = window.setInterval(look, LOOK_MS);
    window.addEventListener("focus", look);
    return () => {
      window.clearInterval(timer);
      window.removeEventListener("focus", look);
    };
  }, []);
}

/** Which nodes of which plans there are, as text: so that it is asked anew only where that changes. */
const refsOf = (state: Parameters<typeof documentOf>[0]): string =>
  documentOf(state)
    .charts.map(({ plan, node, digest }) => `${plan} ${node} ${digest ?? ""}`)
    .join("\n");

const plansOf = (state: Parameters<typeof documentOf>[0]): string =>
  [...new Set(documentOf(state).charts.map((chart) => chart.plan))].sort().join(" ");

/** Ask what runs, when the charts change, when a plan's nodes change, and when the connection comes back. */
export function useSources(): void {
  const refs = useBoard(refsOf);
  const plans = useBoard(plansOf);
  useEffect(() => void resolveSources(), [refs]);
  useEffect(() => {
    const told = new Map<number, string>();
    const ends = plans.split(" ").flatMap((text) => {
      const plan = Number(text);
      if (plan === 0) return [];
      return getConnection().watch(plan, ({ nodes }) => {
        const now = nodes
          .map((node) => `${node.name} ${node.digest} ${node.observed} ${node.error}`)
          .join("\n");
        const before = told.get(plan);
        told.set(plan, now);
        if (before !== undefined && before !== now) void resolveSources();
      });
    });
    const end = getConnection().observe((state) => state === "open" && void resolveSources());
    const timer = window.setInterval(() => {
      if (!document.hidden) void resolveSources();
    }, LOOK_MS);
    return () => {
      [...ends, end].forEach((one) => one());
      window.clearInterval(timer);
    };
  }, [plans]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

function onKey(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey)) return;
  const key = event.key.toLowerCase();
  if (key === "s" && get().editing) {
    event.preventDefault();
    void save();
  } else if ((key === "z" || key === "y") && get().editing && !isTyping(event.target)) {
    event.preventDefault();
    if (key === "y" || event.shiftKey) redo();
    else undo();
  }
}

export function useKeys(): void {
  useEffect(() => {
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

export function useLeaveWarning(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isUnsaved(get())) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
}
