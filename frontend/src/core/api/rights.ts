import type { components } from "./schema";
import type { Me } from "./types";

export type Right = components["schemas"]["RightsEnum"];

/** Whether the person who looks may do this with a thing: the server says so with each thing that it tells of. */
export function may(right: Right, thing: { rights: readonly Right[] }): boolean {
  return thing.rights.includes(right);
}

type Somebody = Pick<Me, "role"> | null;

/** Why somebody may make nothing, whatever is shared with them; null: they may. */
export function refusesMaking(me: Somebody): string | null {
  return me?.role === "viewer"
    ? "Your role, viewer, lets you look only. Ask an administrator for another."
    : null;
}
