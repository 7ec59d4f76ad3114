import type { Me } from "./types";

/** Whether this person may change what that one owns: one's own, and staff everything. */
export function mayChange(me: Me | null, owner: string): boolean {
  return me !== null && (me.is_staff || me.username === owner);
}
