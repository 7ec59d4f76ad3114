/** The limits that are drawn in the lanes of numbers, by the names of their nodes. */
import { create } from "zustand";
import type { Limit } from "../core/graph/limits";

const useStore = create<{ limits: Readonly<Record<string, readonly Limit[]>> }>(() => ({ limits: {} }));
const NONE: readonly Limit[] = [];

export const setLimits = (limits: Readonly<Record<string, readonly Limit[]>>): void =>
  useStore.setState({ limits });

export const useLimits = (name: string): readonly Limit[] => useStore((state) => state.limits[name] ?? NONE);
