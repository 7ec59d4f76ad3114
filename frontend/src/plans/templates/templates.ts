/** Plans that answer common questions, with events to see them work. Pure, but for loading them. */
import type { SampleEvent } from "../../core/api/samples";
import { selectMatches, type Findable } from "../editor/rankMatches";

export interface Template {
  title: string;
  /** The question, in the words of those who ask it. */
  asked: string;
  /** The field of work. */
  work: string;
  /** Other words under which it is found. */
  words: string[];
  /** Lines of the text language. */
  plan: string[];
  /** By stream, in the order in which they arrive. */
  events: Record<string, SampleEvent[]>;
}

/** They are long, so they come only when somebody asks for them. */
export async function loadTemplates(): Promise<readonly Template[]> {
  const { default: templates } = await import("./templates.json");
  return templates as unknown as readonly Template[];
}

const toFindable = (template: Template): Findable & { template: Template } => ({
  title: template.title,
  words: [...template.words, template.asked, template.work],
  template,
});

/** Those that match what is typed, the best first; all of them where nothing is typed. */
export function selectTemplates(templates: readonly Template[], search: string): readonly Template[] {
  if (search.trim() === "") return templates;
  return selectMatches(templates.map(toFindable), search).map(({ template }) => template);
}

/** By field of work, in the order in which the fields first come. */
export function groupByWork(templates: readonly Template[]): [string, Template[]][] {
  const works = new Set(templates.map(({ work }) => work));
  return [...works].map((work) => [work, templates.filter((template) => template.work === work)]);
}

export const countEvents = ({ events }: Template): number => Object.values(events).flat().length;
