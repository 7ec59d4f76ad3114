/** What is offered about a thing that has an owner; what cannot be done says why. */
import type { MenuItem } from "../ui/Menu";
import type { ThingDialog } from "./ThingDialogs";
import { ownerRefusal, type SharedThing } from "./thing";

export function thingItems(thing: SharedThing | null, ask: (asked: ThingDialog) => void): MenuItem[] {
  const unsaved = thing === null ? "Save it first." : null;
  const refusal = unsaved ?? (thing && ownerRefusal(thing));
  return [
    {
      id: "share-thing",
      title: "Share…",
      hint: unsaved ?? "Who may view, edit, run",
      disabled: unsaved !== null,
      act: () => ask("access"),
    },
    {
      id: "transfer-thing",
      title: "Change owner…",
      hint: refusal ?? "Give it to another user or team",
      disabled: refusal !== null,
      act: () => ask("transfer"),
    },
    {
      id: "activity-of-thing",
      title: "Activity",
      hint: unsaved ?? "Who changed it, and when",
      disabled: unsaved !== null,
      act: () => ask("activity"),
    },
  ];
}
