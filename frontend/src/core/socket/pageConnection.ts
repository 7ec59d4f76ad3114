/** The page's connection, made when it is first needed. */
import { goToLogin } from "../api/client";
import { readPublicSecret } from "../api/publicLink";
import { Connection } from "./connection";
import type { Socket } from "./surroundings";

let connection: Connection | null = null;

function open(): Socket {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  const secret = readPublicSecret();
  const there = `${scheme}://${window.location.host}/ws/${secret === null ? "live" : "public"}/`;
  return (secret === null
    ? new WebSocket(there)
    : new WebSocket(there, ["timelines", secret])) as unknown as Socket;
}

/** Nobody is logged in, or the public link has ended: its page says so when it loads again. */
function onRefused(): void {
  if (readPublicSecret() === null) goToLogin();
  else window.location.reload();
}

function later(action: () => void, ms: number): () => void {
  const timer = window.setTimeout(action, ms);
  return () => window.clearTimeout(timer);
}

const wallNow = (): number => Date.now() * 1000;

export function getConnection(): Connection {
  if (connection) return connection;
  const made = new Connection({ open, later, now: wallNow, refused: onRefused });
  document.addEventListener("visibilitychange", () => made.setHidden(document.hidden));
  window.addEventListener("offline", () => made.lose());
  window.addEventListener("online", () => made.hurry());
  connection = made;
  return made;
}

/** The newest known instant in microseconds: now, or when the connection was lost. */
export const readKnownNow = (): number => getConnection().lostAt ?? wallNow();
