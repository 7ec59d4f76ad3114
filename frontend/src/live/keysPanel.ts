/** Whether the keys of a node are asked, beside the lanes. */
import { create } from "zustand";

export const useKeysPanel = create<{ open: boolean }>(() => ({ open: false }));

export function openKeysPanel(open: boolean): void {
  useKeysPanel.setState({ open });
}
