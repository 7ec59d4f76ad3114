/** What is said of acts. */
import type { Entry } from "./calls";

const SOURCES: Readonly<Record<Entry["source"], string>> = {
  page: "in app",
  rest: "API",
  admin: "admin",
  shell: "command line",
  task: "automatic",
};

export function describeSource(source: Entry["source"]): string {
  return SOURCES[source];
}
