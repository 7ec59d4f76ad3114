/** Undo and redo as a history of values; quick edits of one place become one step. */

export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  readonly tag: string | null;
  readonly at: number;
}

const DEPTH = 200;
const TOGETHER_MS = 1500;

export function start<T>(present: T): History<T> {
  return { past: [], present, future: [], tag: null, at: 0 };
}

/** Record `next`. Edits with one `tag` that follow each other quickly are undone together. */
export function record<T>(history: History<T>, next: T, tag: string | null, at: number): History<T> {
  if (next === history.present) return history;
  const together = tag !== null && tag === history.tag && at - history.at < TOGETHER_MS;
  const past = together ? history.past : [...history.past, history.present].slice(-DEPTH);
  return { past, present: next, future: [], tag, at };
}

export function undo<T>(history: History<T>): History<T> {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  const future = [history.present, ...history.future];
  return { past: history.past.slice(0, -1), present: before, future, tag: null, at: 0 };
}

export function redo<T>(history: History<T>): History<T> {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.present], present: next, future, tag: null, at: 0 };
}

/** The same steps on another ground: what others did becomes part of every state, and is undone with none of them. */
export function rebaseHistory<T>(history: History<T>, present: T, bring: (state: T) => T): History<T> {
  return { ...history, past: history.past.map(bring), present, future: history.future.map(bring), tag: null };
}
