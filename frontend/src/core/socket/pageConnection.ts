/** The page's connection, made when it is first needed. */
import { goToLogin } from "../api/client";
import { Connection } from "./connection";
import type { Socket } from "./surroundings";

let connection: Connection | null = null;

function open(): Socket {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  return new WebSocket(`${scheme}://${window.location.host}/ws/live/`) as unknown as Socket;
}

function later(action: () => void, ms: number): () => void {
  const timer = window.setTimeout(action, ms);
  return () => window.clearTimeout(timer);
}

const wallNow = (): number => Date.now() * 1000;

export function getConnection(): Connection {
  if (connection) return connection;
  const made = new Connection({ open, later, now: wallNow, refused: goToLogin });
  document.addEventListener("visibilitychange", () => made.setHidden(document.hidden));
  window.addEventListener("offline", () => made.lose());
  window.addEventListener("online", () => made.hurry());
  connection = made;
  return made;
}

/** The newest known instant in microseconds: now, or when the connection was lost. */
export const readKnownNow = (): number => getConnection().lostAt ?? wallNow();
