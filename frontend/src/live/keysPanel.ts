/** Whether the panel of keys beside the lanes is open. */
import { create } from "zustand";

export const useKeysPanel = create<{ open: boolean }>(() => ({ open: false }));

export function openKeysPanel(open: boolean): void {
  useKeysPanel.setState({ open });
}
