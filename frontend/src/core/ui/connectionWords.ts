/** How the page's connection is said and coloured, wherever it is shown. */
import type { State } from "../socket/connection";

export const WORDS: Readonly<Record<State, string>> = {
  idle: "",
  open: "live",
  connecting: "connecting…",
  waiting: "connection lost, trying again…",
  paused: "paused",
};

export const TONES: Readonly<Record<State, string>> = {
  idle: "none",
  open: "green",
  connecting: "amber",
  waiting: "amber",
  paused: "grey",
};
