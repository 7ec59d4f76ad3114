/** Which views of the plan are shown, and what each text holds that is not in the document. */
import { create } from "zustand";
import type { Draft, SyncState } from "./session";

export type View = "canvas" | "text" | "json";
export type TextView = Exclude<View, "canvas">;

interface ViewsState {
  view: View;
  /** The canvas beside the text. */
  beside: boolean;
  drafts: Readonly<Record<TextView, Draft | null>>;
  /** How the text that is shown stands to the document. */
  standing: SyncState | null;
}

const VIEWS: readonly string[] = ["canvas", "text", "json"];

/** The address carries the view, so that a reload or a link shows the same. */
function fromAddress(): Pick<ViewsState, "view" | "beside"> {
  const query = new URLSearchParams(globalThis.location?.search ?? "");
  const view = query.get("view") ?? "";
  return { view: VIEWS.includes(view) ? (view as View) : "canvas", beside: query.has("beside") };
}

export const useViews = create<ViewsState>(() => ({
  ...fromAddress(),
  drafts: { text: null, json: null },
  standing: null,
}));

function intoAddress(): void {
  const { view, beside } = useViews.getState();
  const address = new URL(window.location.href);
  address.searchParams.delete("view");
  address.searchParams.delete("beside");
  if (view !== "canvas") address.searchParams.set("view", view);
  if (view !== "canvas" && beside) address.searchParams.set("beside", "1");
  window.history.replaceState(null, "", address);
}

export function showView(view: View): void {
  useViews.setState({ view });
  intoAddress();
}

export function setBeside(beside: boolean): void {
  useViews.setState({ beside });
  intoAddress();
}

export function keepDraft(view: TextView, draft: Draft | null): void {
  useViews.setState((state) => ({ drafts: { ...state.drafts, [view]: draft } }));
}

/** Another plan: nothing of the last one is kept. */
export function forgetDrafts(): void {
  useViews.setState({ drafts: { text: null, json: null }, standing: null });
}
