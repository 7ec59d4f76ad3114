import { beforeEach, describe, expect, test } from "vitest";
import { Connection, type TimelineMessage } from "./connection";
import type { Socket } from "./surroundings";

class FakeSocket implements Socket {
  sent: { type: string; id?: string; plan?: number }[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text) as { type: string });
  }
  close(): void {
    this.closed = true;
  }
  says(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let sockets: FakeSocket[];
let timers: { action: () => void; ms: number; live: boolean }[];
let refused: number;
let connection: Connection;
let got: TimelineMessage[];
let now: number;

const socket = (): FakeSocket => sockets.at(-1) as FakeSocket;
const lastId = (): string => socket().sent.findLast((m) => m.type === "subscribe")?.id ?? "";
const standing = { final_until: null, as_of: null };
const snapshot = (id: string) => ({
  type: "snapshot",
  id,
  seq: 0,
  node: "n",
  key: "k",
  kind: "bool",
  points: [],
  version: 1,
  ...standing,
});
const revision = (id: string, seq: number) => ({
  type: "revision",
  id,
  seq,
  version: seq,
  known_at: 1,
  start: null,
  end: null,
  pieces: [],
  ...standing,
});

function fire(): number {
  const timer = timers.findLast((one) => one.live);
  if (!timer) throw new Error("no timer is set");
  timer.live = false;
  timer.action();
  return timer.ms;
}

beforeEach(() => {
  [sockets, timers, refused, got, now] = [[], [], 0, [], 100];
  connection = new Connection({
    open: () => {
      sockets.push(new FakeSocket());
      return socket();
    },
    later: (action, ms) => {
      const timer = { action, ms, live: true };
      timers.push(timer);
      return () => void (timer.live = false);
    },
    now: () => now,
    refused: () => void (refused += 1),
  });
});

describe("what is shown is as of", () => {
  test("now while it comes live, and the moment at which the server went until it is back", () => {
    expect(connection.lostAt).toBeNull();
    follow();
    expect(connection.lostAt).toBeNull();
    now = 200;
    socket().onclose?.({ code: 1006 });
    now = 300;
    fire();
    socket().onclose?.({ code: 1006 });
    expect(connection.lostAt).toBe(200);
    fire();
    socket().onopen?.();
    expect(connection.lostAt).toBeNull();
  });

  test("the last word of a server that went silent", () => {
    follow();
    now = 150;
    socket().says(snapshot(lastId()));
    now = 900;
    connection.lose();
    expect(connection.lostAt).toBe(150);
  });

  test("the moment at which its first socket was asked for, as long as none opens", () => {
    connection.subscribe("n", "k", () => undefined);
    now = 400;
    socket().onclose?.({ code: 1006 });
    expect(connection.lostAt).toBe(100);
  });

  test("the moment at which the tab was put away, until it is seen and connected again", () => {
    follow();
    now = 500;
    connection.setHidden(true);
    now = 700;
    connection.setHidden(false);
    expect(connection.lostAt).toBe(500);
    socket().onopen?.();
    expect(connection.lostAt).toBeNull();
  });
});

function follow(): () => void {
  const end = connection.subscribe("n", "k", (message) => got.push(message));
  socket().onopen?.();
  return end;
}

describe("a connection", () => {
  test("subscribes once it is open, and delivers in order", () => {
    follow();
    socket().says(snapshot(lastId()));
    socket().says(revision(lastId(), 1));
    expect(got.map((message) => message.type)).toEqual(["snapshot", "revision"]);
  });

  test("subscribes again on a gap and ignores what still comes for the old subscription", () => {
    follow();
    const old = lastId();
    socket().says(snapshot(old));
    socket().says(revision(old, 2));
    expect(lastId()).not.toBe(old);
    socket().says(revision(old, 3));
    socket().says(snapshot(lastId()));
    expect(got.map((message) => message.type)).toEqual(["snapshot", "snapshot"]);
  });

  test("is lost with the network, and comes back at once with it", () => {
    follow();
    const first = socket();
    connection.lose();
    expect([first.closed, connection.state]).toEqual([true, "waiting"]);
    connection.hurry();
    expect(sockets).toHaveLength(2);
    expect(timers.filter((one) => one.live)).toHaveLength(0);
    socket().onopen?.();
    expect(connection.state).toBe("open");
    expect(lastId()).not.toBe("");
    connection.hurry();
    expect(sockets).toHaveLength(2);
  });

  test("comes back with growing waits and asks for everything again", () => {
    follow();
    connection.watch(7, () => undefined);
    socket().onclose?.({ code: 1006 });
    expect(fire()).toBe(500);
    socket().onclose?.({ code: 1006 });
    expect(fire()).toBe(1000);
    socket().onopen?.();
    expect(sockets).toHaveLength(3);
    expect(socket().sent.map((message) => message.type)).toEqual(["watch", "subscribe"]);
  });

  test("costs nothing while the tab is hidden", () => {
    follow();
    connection.setHidden(true);
    expect(socket().closed).toBe(true);
    expect(timers.some((timer) => timer.live)).toBe(false);
    connection.setHidden(false);
    expect(sockets).toHaveLength(2);
  });

  test("that is one too many says so to all that are followed, and waits long before it comes back", () => {
    follow();
    socket().says({ type: "error", id: null, code: "too_many_sockets", message: "You have 20 pages open." });
    socket().onclose?.({ code: 4429 });
    expect(got).toMatchObject([{ type: "error", message: "You have 20 pages open." }]);
    expect([fire(), refused]).toEqual([15_000, 0]);
  });

  test("leads to the login when it is refused", () => {
    follow();
    socket().onclose?.({ code: 4401 });
    expect(refused).toBe(1);
    expect(timers.some((timer) => timer.live)).toBe(false);
  });

  test("notices a server that went silent", () => {
    follow();
    fire();
    expect(socket().sent.at(-1)?.type).toBe("ping");
    fire();
    expect(connection.state).toBe("waiting");
  });

  test("follows the keys with the most, and asks again when it comes back", () => {
    const keys: string[][] = [];
    connection.rank({ node: "n", top: 2, order: "most", at: null }, (message) => {
      if (message.type === "ranking") keys.push(message.rows.map((row) => row.key));
    });
    socket().onopen?.();
    const asked = () => socket().sent.findLast((message) => message.type === "rank");
    const rows = [{ key: "b", points: [] }];
    socket().says({ type: "ranking", id: asked()?.id, rows });
    socket().onclose?.({ code: 1006 });
    fire();
    socket().onopen?.();
    socket().says({ type: "ranking", id: asked()?.id, rows });
    expect(keys).toEqual([["b"], ["b"]]);
  });

  test("ends a subscription", () => {
    follow()();
    expect(socket().sent.at(-1)?.type).toBe("unsubscribe");
  });

  test("tells watchers the status of their plan alone", () => {
    const plans: number[] = [];
    follow();
    connection.watch(7, (message) => plans.push(message.plan));
    socket().says({ type: "status", plan: 8, nodes: [] });
    socket().says({ type: "status", plan: 7, nodes: [] });
    expect(plans).toEqual([7]);
  });

  test("is on a plan: says what is selected, and says it again to a new socket", () => {
    const heard: string[] = [];
    const { select, leave } = connection.attend(7, (message) => heard.push(message.type));
    socket().onopen?.();
    select(["calm"]);
    expect(socket().sent.at(-1)).toEqual({ type: "attend", plan: 7, selected: ["calm"] });
    socket().says({ type: "people", plan: 7, people: [] });
    socket().says({ type: "plan", plan: 8, deleted: true });
    socket().onclose?.({ code: 1006 });
    fire();
    socket().onopen?.();
    expect(socket().sent).toEqual([{ type: "attend", plan: 7, selected: ["calm"] }]);
    leave();
    expect(socket().sent.at(-1)).toEqual({ type: "leave", plan: 7 });
    expect(heard).toEqual(["people"]);
  });
});

describe("alerts", () => {
  test("are asked for once the socket is open, again after a break, and heard by all who listen", () => {
    const heard: unknown[] = [];
    const end = connection.followAlerts((message) => heard.push(message));
    connection.followAlerts(({ type }) => heard.push(type));
    socket().onopen?.();
    expect(socket().sent).toEqual([{ type: "bell" }]);
    socket().says({ type: "bell", firing: 2, unacknowledged: 1 });
    end();
    socket().onclose?.({ code: 1006 });
    fire();
    socket().onopen?.();
    expect(socket().sent).toEqual([{ type: "bell" }]);
    socket().says({ type: "incidents", alerts: [5] });
    expect(heard).toEqual([{ type: "bell", firing: 2, unacknowledged: 1 }, "bell", "incidents"]);
  });

  test("who listens later hears the counts, too", () => {
    connection.followAlerts(() => undefined);
    socket().onopen?.();
    connection.followAlerts(() => undefined);
    expect(socket().sent).toEqual([{ type: "bell" }, { type: "bell" }]);
  });
});
