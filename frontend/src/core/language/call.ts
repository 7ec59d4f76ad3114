/** Where in a text one is: in which call, at which argument; in a comment, a quotation, or code. */

// A quote that is not closed ends with its line: tried anew from each escaped quote behind it, it would take a second.
const MARK = /"(?:[^"\\\n]|\\.)*("?)|'(?:[^'\\\n]|\\.)*('?)|`[^`\n]*`|#.*|`/g;
const OPENERS = "([{";
const CLOSERS = ")]}";

const isClosed = (...ends: (string | undefined)[]): boolean => !ends.includes("");

function blank(mark: string, double: string | undefined, single: string | undefined): string {
  return mark.length > 1 && isClosed(double, single)
    ? `${mark.charAt(0)}${" ".repeat(mark.length - 2)}_`
    : mark;
}

/** The text before a place with quotations and comments blanked out; null where the place is inside one. */
export function extractCodeBefore(text: string): string | null {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  for (const [mark, double, single] of line.matchAll(MARK))
    if (mark.startsWith("#") || !isClosed(double, single)) return null;
  return text.replace(MARK, blank);
}

/** So far before its bracket the name of an operator is looked for. */
const LONGEST = 200;

export interface Call {
  operator: string;
  /** Which argument, from 0. */
  index: number;
  /** The argument's name where it is given by name. */
  keyword: string | null;
}

/** The innermost open call around the end of the code, but for those that are skipped; or null. */
export function callAt(code: string, skipped: (operator: string) => boolean = () => false): Call | null {
  let depth = 0;
  let index = 0;
  for (let i = code.length - 1; i >= 0; i -= 1) {
    const sign = code.charAt(i);
    if (sign === "\n" && depth === 0 && begins(code.slice(i + 1))) return null;
    if (CLOSERS.includes(sign)) depth += 1;
    else if (OPENERS.includes(sign)) {
      if (depth === 0) {
        const call = opened(code, i, index);
        if (call === null || !skipped(call.operator)) return call;
        index = 0;
      } else depth -= 1;
    } else if (sign === "," && depth === 0) index += 1;
  }
  return null;
}

/** A line that begins a statement ends what stands above it. */
function begins(line: string): boolean {
  return /^(?:`[^`]*`|[\p{L}_][\p{L}\p{N}_]*)\s*=(?!=)/u.test(line) && !/^\s/.test(line);
}

function opened(code: string, at: number, index: number): Call | null {
  const operator = /([\p{L}_][\p{L}\p{N}_]*)\s*$/u.exec(code.slice(Math.max(0, at - LONGEST), at))?.[1];
  if (operator === undefined || code.charAt(at) !== "(") return null;
  const last = code.slice(at + 1);
  const argument = last.slice(lastComma(last) + 1);
  const keyword = /^\s*([\p{L}_][\p{L}\p{N}_]*)\s*=(?!=)/u.exec(argument)?.[1] ?? null;
  return { operator, index, keyword };
}

function lastComma(code: string): number {
  let depth = 0;
  let found = -1;
  [...code].forEach((sign, i) => {
    if (OPENERS.includes(sign)) depth += 1;
    else if (CLOSERS.includes(sign)) depth -= 1;
    else if (sign === "," && depth === 0) found = i;
  });
  return found;
}

const STATEMENT = /^(`[^`]*`|[\p{L}_][\p{L}\p{N}_]*)\s*=(?!=)/gmu;

/** The names that the text gives to nodes. */
export function listNodeNames(text: string): string[] {
  return [...text.matchAll(STATEMENT)].map((match) => (match[1] ?? "").replaceAll("`", ""));
}
