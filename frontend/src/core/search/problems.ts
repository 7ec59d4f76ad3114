/** What is wrong with a search, at its place. */
import { ApiError, describeError } from "../api/client";
import { termsOf } from "./language";

export interface Wrong {
  before: string;
  wrong: string;
  after: string;
  message: string;
  hint: string;
}

/** Columns count signs, from one; null where it is not about a place of the search. */
export function wrongOf(text: string, error: unknown): Wrong[] | null {
  if (!(error instanceof ApiError) || error.status !== 400) return null;
  const about = error.problems.filter((problem) => problem.field === "q");
  if (about.length === 0) return null;
  return about.map(({ column, message, hint }) => {
    const start = column
      ? Array.from(text)
          .slice(0, column - 1)
          .join("").length
      : text.length;
    const end = termsOf(text).find((term) => term.start <= start && start < term.end)?.end ?? text.length;
    return {
      before: text.slice(0, start),
      wrong: text.slice(start, end),
      after: text.slice(end),
      message,
      hint,
    };
  });
}

/** Everything else that went wrong. */
export function describeOtherError(text: string, error: unknown): string | null {
  return error === null || error === undefined || wrongOf(text, error) !== null ? null : describeError(error);
}
