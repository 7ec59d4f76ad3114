/** The node that is being pinned to a dashboard by a command, if one is. */
import { create } from "zustand";

export const usePinning = create<{ node: string | null }>(() => ({ node: null }));

export const pin = (node: string | null): void => usePinning.setState({ node });
