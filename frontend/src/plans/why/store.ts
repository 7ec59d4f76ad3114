/** The question that is open on the page, and its answer. */
import { create } from "zustand";
import { api, describeError, type WhyQuestion } from "../../core/api/client";
import type { Why } from "../../core/api/types";
import { selectRunningNodes } from "../editor/runningNodes";
import { get as studio } from "../editor/store";
import { closeOtherExplanations, registerExplanation } from "../editor/explanations";
import { setOverlay, NOWHERE } from "../editor/overlay";
import { renameNodes, pathOf } from "./chain";

export type WhyRequest = Readonly<WhyQuestion>;

export interface WhyState {
  question: WhyRequest | null;
  answer: Why | null;
  failure: string | null;
}

const CLOSED: WhyState = { question: null, answer: null, failure: null };

export const useWhy = create<WhyState>(() => CLOSED);

const { getState, setState } = useWhy;

/** Ask; only the answer to the newest question is shown. The last one stays until then. */
export async function ask(question: WhyRequest): Promise<void> {
  closeOtherExplanations(close);
  setState({ question, failure: null });
  // The server speaks of nodes as they are called where they run.
  const { runs, drawn } = selectRunningNodes(studio());
  const asked = { ...question, name: runs.get(question.name)?.name ?? question.name };
  const news = await api
    .why(asked)
    .then((answer) => ({ ...answer, chain: answer.chain.map((link) => renameNodes(link, drawn)) }))
    .then((answer) => ({ answer, failure: null }))
    .catch((error: unknown) => ({ answer: null, failure: describeError(error) }));
  if (getState().question !== question) return;
  setState(news);
  setOverlay({ lit: news.answer === null ? NOWHERE : pathOf(news.answer.chain) });
}

export function close(): void {
  setState(CLOSED);
  setOverlay({ lit: NOWHERE });
}

registerExplanation(close);
