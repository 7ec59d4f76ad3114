/** Whether a row for each key of one node is shown in place of a lane for each node, and how. */
import { create } from "zustand";
import type { Order } from "../timechart/keyRows";

interface AllKeysState {
  open: boolean;
  /** The node whose keys are shown; null: the one that is offered. */
  node: string | null;
  search: string;
  order: Order;
  /** The state whose time is told; null: the most frequent one. */
  value: string | null;
}

export const useAllKeys = create<AllKeysState>(() => ({
  open: false,
  node: null,
  search: "",
  order: "changed",
  value: null,
}));

export const setAllKeys = useAllKeys.setState;
