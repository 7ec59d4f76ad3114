import type { Me } from "../api/types";

export const MINE = "owner:me";

/** Whether a thing is what was looked for: words of its name, or `owner:` and a name. */
export function fits(thing: { name: string; owner: string }, search: string, me: Me | null): boolean {
  const [name, owner] = [thing.name.toLowerCase(), thing.owner.toLowerCase()];
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => {
      const wanted = /^owner:(.*)$/.exec(word)?.[1];
      if (wanted === undefined) return name.includes(word);
      return owner === (wanted === "me" ? me?.username.toLowerCase() : wanted);
    });
}
