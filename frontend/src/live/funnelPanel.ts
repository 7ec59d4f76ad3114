/** The sequence whose funnel is shown beside the lanes; null: none. */
import { create } from "zustand";

export const useFunnelPanel = create<{ node: string | null }>(() => ({ node: null }));

export function openFunnel(node: string | null): void {
  useFunnelPanel.setState({ node });
}
