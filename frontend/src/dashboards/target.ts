/** The dashboard that something is pinned to. */
import type { Choice } from "../core/search/options";

/** Without a number it is a new one. */
export interface Target {
  id: number | null;
  name: string;
}

const NEW = "new";

/** A name that is typed, not a search by other words. */
const nameIn = (text: string): string => (text.includes(":") ? "" : text.replaceAll('"', "").trim());

/** A new one by the name that is typed, else by the one that it was given before. */
export function newOne(text: string, held: Target): Choice {
  const name = nameIn(text) || (held.id === null ? held.name : "");
  const title = name === "" ? "New dashboard" : `New dashboard “${name}”`;
  return { id: NEW, title, name, note: "", owner: "", tone: null };
}

export function targetOf({ id, title, name }: Choice): Target {
  return id === NEW ? { id: null, name: name ?? "" } : { id: Number(id), name: title };
}
