/** What is said before and after many things are given away. */
import { formatCounted } from "../ui/format";
import type { TransferPreview } from "./calls";

const number = (many: number): string => many.toLocaleString("en");

export function describeTransferPreview(
  { count, running }: Pick<TransferPreview, "count" | "running">,
  what: string,
): string {
  if (count === 0) return `You own none of these ${what}.`;
  const run =
    running === 0
      ? ""
      : ` ${number(running)} of them run${running === 1 ? "s" : ""}, and ${running === 1 ? "goes" : "go"} on.`;
  const them = count === 1 ? "it" : "them";
  return `${formatCounted(count, what)} ${count === 1 ? "goes" : "go"} to another owner at once, all or none.${run} Who gets ${them} may do everything with ${them}. You keep only what is open to all, or shared with you.`;
}

const NAMED = 5;

/** “one”, “two”, and 12 more. */
export function formatNames(names: readonly string[], count: number): string {
  const said = names.slice(0, NAMED).map((name) => `“${name}”`);
  const more = count - said.length;
  if (more > 0) return `${said.join(", ")}, and ${number(more)} more`;
  return said.length < 2 ? said.join("") : `${said.slice(0, -1).join(", ")} and ${said.at(-1) ?? ""}`;
}

export function describeTransferred(count: number, what: string, to: string): string {
  return `${formatCounted(count, what)} belong${count === 1 ? "s" : ""} to ${to} now.`;
}
