/** The calls about where a node is delivered to, and their wire types. */
import { call } from "../core/api/client";
import type { Wire } from "../core/api/wire";

export type Sink = Wire<"Sink">;
export type SinkKind = Wire<"SinkKind">;
export type Delivers = Sink["delivers"];

/** The options of a sink as somebody sets them; secrets that are left out stay as they are. */
export type SinkOptions = Readonly<Record<string, unknown>>;

const at = (digest: string, rest = ""): string => `/api/nodes/${digest}/sinks/${rest}`;

export const sinkApi = {
  kinds: () => call<{ kinds: SinkKind[] }>("GET", "/api/sink-kinds/").then((told) => told.kinds),
  of: (digest: string) => call<{ sinks: Sink[] }>("GET", at(digest)).then((told) => told.sinks),
  add: (digest: string, kind: string, delivers: Delivers, options: SinkOptions) =>
    call<Sink>("POST", at(digest), { kind, delivers, options }),
  change: (digest: string, number: number, delivers: Delivers, options: SinkOptions) =>
    call<Sink>("PUT", at(digest, `${number}/`), { delivers, options }),
  check: (digest: string, kind: string, options: SinkOptions, number?: number) =>
    call<null>("POST", at(digest, "check/"), { kind, options, ...(number === undefined ? {} : { number }) }),
  pause: (digest: string, number: number, paused: boolean) =>
    call<Sink>("POST", at(digest, `${number}/${paused ? "pause" : "resume"}/`), {}),
  remove: (digest: string, number: number) => call<null>("DELETE", at(digest, `${number}/`), {}),
};
