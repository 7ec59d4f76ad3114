/** Whether the meaning of the marks is shown over the lanes. */
import { create } from "zustand";

export const useLegend = create<{ open: boolean }>(() => ({ open: false }));

export function openLegend(open: boolean): void {
  useLegend.setState({ open });
}
