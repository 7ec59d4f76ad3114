/** Whether the dock of samples and tests is shown. Part of the address, so that a reload shows the same. */
import { create } from "zustand";

const PARAMETER = "tests";

const asked = (): boolean =>
  typeof window !== "undefined" && new URLSearchParams(window.location.search).has(PARAMETER);

export const useTesting = create<{ open: boolean }>(() => ({ open: asked() }));

export function toggleTesting(): void {
  const open = !useTesting.getState().open;
  useTesting.setState({ open });
  const address = new URL(window.location.href);
  if (open) address.searchParams.set(PARAMETER, "1");
  else address.searchParams.delete(PARAMETER);
  window.history.replaceState(null, "", address);
}
