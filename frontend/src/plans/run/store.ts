/** What running or stopping would mean, while a person is asked. */
import { create } from "zustand";
import { api, ApiError, describeError, isTransient } from "../../core/api/client";
import type { Consequences, StopConsequences } from "../../core/api/consequences";
import type { Problem } from "../../core/api/types";
import { addResults } from "../editor/withResults";
import { run, stop } from "../drafts/planActions";
import { documentOf, get as studio, placementOf, set as setStudio } from "../editor/store";
import { settleTyping } from "../editor/typing";

export interface Refusal {
  words: string;
  problems: readonly Problem[];
  /** The server was away: it is asked again by itself. */
  away: boolean;
}

const AGAIN_MS = 3000;

interface RunState {
  asking: "run" | "stop" | null;
  consequences: Consequences | null;
  leaving: StopConsequences | null;
  refusal: Refusal | null;
  /** Why it is stopped. */
  reason: string;
}

const NOTHING: RunState = { asking: null, consequences: null, leaving: null, refusal: null, reason: "" };

export const useRun = create<RunState>(() => NOTHING);

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiError)) return { words: describeError(error), problems: [], away: false };
  const away = isTransient(error);
  const again = `Retrying every ${AGAIN_MS / 1000} seconds.`;
  const words = away ? `${error.message} ${again}` : error.message;
  return { words, problems: error.problems, away };
}

type RunRequest = () => Promise<Partial<RunState>>;

let asked = 0;
/** How often a dialog was opened or left: who asks now. */
let opened = 0;

/** Only the answer to the last question counts, and only while the person still waits for it. */
async function ask(question: RunRequest): Promise<void> {
  asked += 1;
  const number = asked;
  const answer = await question().catch((error: unknown) => ({ refusal: refusalOf(error) }));
  if (number !== asked || useRun.getState().asking === null) return;
  useRun.setState(answer);
  askAgain(question);
}

/** Where the server was away, the same once more in a while. */
function askAgain(question: RunRequest): void {
  const number = asked;
  if (useRun.getState().refusal?.away) setTimeout(() => number === asked && void ask(question), AGAIN_MS);
}

async function foreseen(): Promise<Partial<RunState>> {
  await settleTyping();
  const state = studio();
  const plan = state.plan?.id ?? null;
  return {
    consequences: await api.foresee(addResults(documentOf(state)), placementOf(state), plan),
    refusal: null,
  };
}

async function foreseenStop(): Promise<Partial<RunState>> {
  const id = studio().plan?.id;
  return id === undefined ? {} : { leaving: await api.stopConsequences(id), refusal: null };
}

const foresee = (): Promise<void> => ask(foreseen);

export function askToRun(): Promise<void> {
  opened += 1;
  useRun.setState({ ...NOTHING, asking: "run" });
  return foresee();
}

/** Another placement is looked at; it is taken when the plan is run. */
export function previewPlacement(placement: Consequences["placement"]): Promise<void> {
  setStudio({ placement });
  return foresee();
}

export function askToStop(): Promise<void> {
  if (!studio().plan) return Promise.resolve();
  opened += 1;
  useRun.setState({ ...NOTHING, asking: "stop" });
  return ask(foreseenStop);
}

export function closeRunDialog(): void {
  asked += 1;
  opened += 1;
  useRun.setState(NOTHING);
}

/** It was done, and somebody asks again by now: what is told was so before. */
function renew(): Promise<void> {
  const { asking } = useRun.getState();
  if (asking === null) return Promise.resolve();
  useRun.setState({ consequences: null, leaving: null, refusal: null });
  return ask(asking === "run" ? foreseen : foreseenStop);
}

/**
 * Where the server was away meanwhile nobody knows whether it was done: what it would mean now is asked anew. Of whoever
 * left the dialog, or asks something else by now, none of it is told there.
 */
async function close(action: () => Promise<unknown>, question: RunRequest): Promise<void> {
  const number = opened;
  const failure = await action();
  if (number !== opened) return failure === null ? renew() : undefined;
  if (failure === null) return closeRunDialog();
  setStudio({ notice: null });
  useRun.setState({ refusal: refusalOf(failure) });
  askAgain(question);
}

export const confirmRun = (): Promise<void> => close(run, foreseen);
export const confirmStop = (): Promise<void> => close(() => stop(useRun.getState().reason), foreseenStop);
export const sayWhy = (reason: string): void => useRun.setState({ reason });
