/** What running or stopping would mean, while a person is asked. */
import { create } from "zustand";
import { api, ApiError, inWords } from "../api/client";
import type { Consequences, StopConsequences } from "../api/consequences";
import type { Problem } from "../api/types";
import { complete } from "../editor/complete";
import { run, stop } from "../editor/server";
import { documentOf, get as studio, placementOf, set as setStudio } from "../editor/store";
import { settleTyping } from "../editor/typing";

export interface Refusal {
  words: string;
  problems: readonly Problem[];
}

interface RunState {
  asking: "run" | "stop" | null;
  told: Consequences | null;
  leaving: StopConsequences | null;
  refusal: Refusal | null;
  /** Why it is stopped. */
  reason: string;
}

const NOTHING: RunState = { asking: null, told: null, leaving: null, refusal: null, reason: "" };

export const useRun = create<RunState>(() => NOTHING);

function refusalOf(error: unknown): Refusal {
  if (error instanceof ApiError) return { words: error.message, problems: error.problems };
  return { words: inWords(error), problems: [] };
}

let asked = 0;

/** Only the answer to the last question counts, and only while the person still waits for it. */
async function ask(question: () => Promise<Partial<RunState>>): Promise<void> {
  asked += 1;
  const number = asked;
  const answer = await question().catch((error: unknown) => ({ refusal: refusalOf(error) }));
  if (number === asked && useRun.getState().asking !== null) useRun.setState(answer);
}

function foresee(): Promise<void> {
  return ask(async () => {
    await settleTyping();
    const state = studio();
    const plan = state.plan?.id ?? null;
    return { told: await api.foresee(complete(documentOf(state)), placementOf(state), plan), refusal: null };
  });
}

export function askToRun(): Promise<void> {
  useRun.setState({ ...NOTHING, asking: "run" });
  return foresee();
}

/** Another placement is looked at; it is taken when the plan is run. */
export function place(placement: Consequences["placement"]): Promise<void> {
  setStudio({ placement });
  return foresee();
}

export function askToStop(): Promise<void> {
  const { plan } = studio();
  if (!plan) return Promise.resolve();
  useRun.setState({ ...NOTHING, asking: "stop" });
  return ask(async () => ({ leaving: await api.stopConsequences(plan.id), refusal: null }));
}

export function dismiss(): void {
  asked += 1;
  useRun.setState(NOTHING);
}

async function close(action: () => Promise<unknown>): Promise<void> {
  const failure = await action();
  if (failure === null) return dismiss();
  setStudio({ notice: null });
  useRun.setState({ refusal: refusalOf(failure) });
}

export const confirmRun = (): Promise<void> => close(run);
export const confirmStop = (): Promise<void> => close(() => stop(useRun.getState().reason));
export const sayWhy = (reason: string): void => useRun.setState({ reason });
