import type { Connection, Edge } from "@xyflow/react";
import type { Wire } from "../../core/graph/document";

/** The wire of the document that a line on the canvas is. */
export function toWire(connection: Connection | Edge): Wire {
  return { from: connection.source, to: connection.target, port: connection.targetHandle ?? "" };
}
