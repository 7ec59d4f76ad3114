/** What is offered about a thing that has an owner; what cannot be done says why. */
import type { MenuItem } from "../ui/Menu";
import type { Asked } from "./ThingDialogs";
import { ownerRefusal, type Thing } from "./thing";

export function thingItems(thing: Thing | null, ask: (asked: Asked) => void): MenuItem[] {
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
