/** Whether the search over everything is open. */
import { create } from "zustand";

export const useSearch = create<{ open: boolean }>(() => ({ open: false }));

export const openSearch = (): void => useSearch.setState({ open: true });
export const closeSearch = (): void => useSearch.setState({ open: false });

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
}

type Pressed = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "defaultPrevented" | "preventDefault"
>;

/** `/` opens it wherever the keys are not needed: nothing is being typed, and no dialog is open. */
export function onSlash(event: Pressed, needed: boolean): void {
  if (event.defaultPrevented || event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (needed) return;
  event.preventDefault();
  openSearch();
}

/** Listen to the key; the answer ends it. */
export function listenToSlash(): () => void {
  const onKey = (event: KeyboardEvent) =>
    onSlash(event, isTyping(event.target) || document.querySelector("dialog[open]") !== null);
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}
