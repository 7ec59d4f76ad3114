/** Which operator is looked up, if any. */
import { create } from "zustand";
import { registerExplanation } from "../editor/explanations";

export const useHelp = create<{ operator: string | null }>(() => ({ operator: null }));

const lookUp = (operator: string): void => useHelp.setState({ operator });

export const closeHelp = (): void => useHelp.setState({ operator: null });

/** The same button opens and closes it. */
export function toggleHelp(operator: string): void {
  if (useHelp.getState().operator === operator) closeHelp();
  else lookUp(operator);
}

registerExplanation(closeHelp);
