/** The question that is open on the page, and its answer. */
import { create } from "zustand";
import { api, inWords, type WhyQuestion } from "../api/client";
import type { Why } from "../api/types";
import { NOWHERE, pathOf, type Path } from "./chain";

export type Question = Readonly<WhyQuestion>;

export interface WhyState {
  question: Question | null;
  answer: Why | null;
  failure: string | null;
  path: Path;
}

const CLOSED: WhyState = { question: null, answer: null, failure: null, path: NOWHERE };

export const useWhy = create<WhyState>(() => CLOSED);

const { getState, setState } = useWhy;

/** Ask; only the answer to the newest question is shown. The last one stays until then. */
export async function ask(question: Question): Promise<void> {
  setState({ question, failure: null });
  const news = await api
    .why(question)
    .then((answer) => ({ answer, failure: null, path: pathOf(answer.chain) }))
    .catch((error: unknown) => ({ answer: null, failure: inWords(error), path: NOWHERE }));
  if (getState().question === question) setState(news);
}

export function close(): void {
  setState(CLOSED);
}
