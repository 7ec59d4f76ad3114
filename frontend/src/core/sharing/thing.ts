/** Something that has an owner, as the dialogs about it know it. */
import { may, type Right } from "../api/rights";

export interface SharedThing {
  kind: "plan" | "stream" | "dashboard" | "node" | "sample" | "alert";
  name: string;
  /** Its address in the API, with a slash at the end. */
  path: string;
  owner: string;
  rights: readonly Right[];
}

/** Why this person cannot share or transfer it, or null. */
export function ownerRefusal(thing: Pick<SharedThing, "owner" | "rights">): string | null {
  return may("own", thing) ? null : `Only ${thing.owner} or an administrator can change that.`;
}
