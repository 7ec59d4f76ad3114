/** What features draw on a node of the canvas. They register it: the editor imports none of them. */
import type { ComponentType } from "react";

type Part = ComponentType<{ name: string }>;

interface Parts {
  /** Who else has the node selected. */
  presence: Part;
  /** Its timeline, in small. */
  strip: Part;
}

const parts: Partial<Parts> = {};

/** Before the canvas is drawn for the first time. */
export function registerNodeParts(registered: Parts): void {
  Object.assign(parts, registered);
}

export function NodeParts({ of, name }: { of: keyof Parts; name: string }) {
  const Part = parts[of];
  return Part && <Part name={name} />;
}
