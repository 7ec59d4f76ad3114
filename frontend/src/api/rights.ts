import type { components } from "./schema";

export type Right = components["schemas"]["RightsEnum"];

/** Whether the person who looks may do this with a thing: the server says so with each thing that it tells of. */
export function may(right: Right, thing: { rights: readonly Right[] }): boolean {
  return thing.rights.includes(right);
}
