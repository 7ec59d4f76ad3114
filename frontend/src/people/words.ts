/** What is said of acts. */
import type { Entry } from "./calls";

const SOURCES: Readonly<Record<Entry["source"], string>> = {
  page: "on the page",
  rest: "over REST",
  admin: "in the admin pages",
  shell: "in the shell",
  task: "by itself",
};

export function sourceInWords(source: Entry["source"]): string {
  return SOURCES[source];
}
