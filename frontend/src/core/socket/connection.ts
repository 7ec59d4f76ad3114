/**
 * The one WebSocket of a page. It reconnects with back-off, subscribes again where a message is missing, and
 * closes while the tab is hidden. Every subscription survives all of that.
 */
import type {
  AlertsMessage,
  ClientMessage,
  ErrorMessage,
  ProgressMessage,
  RankingMessage,
  RevisionMessage,
  ServerMessage,
  SnapshotMessage,
  StatusMessage,
} from "../api/types";
import { LastContact } from "./lastContact";
import type { PlanSubscription, Chart, RankQuestion } from "./questions";
import type { Socket, Surroundings } from "./surroundings";

export type TimelineMessage = SnapshotMessage | RevisionMessage | ProgressMessage | ErrorMessage;
type FollowMessage = TimelineMessage | RankingMessage;
export type State = "idle" | "connecting" | "open" | "waiting" | "paused";

interface Subscription {
  ask: (id: string) => ClientMessage;
  id: string;
  seq: number | null;
  listen: (message: FollowMessage) => void;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const MANY = 5;
const PING_MS = 20_000;
const NOT_LOGGED_IN = 4401;
/** More sockets, or messages, than a person may have: to come back at once would not help. */
const TOO_MUCH = 4429;
/** In place of a code where nobody closed it. */
const SILENT = 0;

export class Connection {
  private socket: Socket | null = null;
  private opened = false;
  private hidden = false;
  private failures = 0;
  private heard = true;
  private nextId = 1;
  private cancelTimer: () => void = () => undefined;
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly watches = new Map<number, Set<(message: StatusMessage) => void>>();
  private readonly attended = new Map<number, PlanSubscription>();
  private readonly bells = new Set<(message: AlertsMessage) => void>();
  private readonly observers = new Set<(state: State) => void>();
  private readonly contact = new LastContact();
  state: State = "idle";

  constructor(private readonly around: Surroundings) {}

  /** Since when nothing is heard: what is shown is as of then. Null while all comes live. */
  get lostAt(): number | null {
    return this.contact.lostAt;
  }

  /** Follow one key of one node, from an instant on or all of it; the answer ends it. */
  subscribe(
    node: string,
    key: string,
    listen: (message: TimelineMessage) => void,
    from: number | null = null,
  ): () => void {
    const ask = (id: string): ClientMessage => ({ type: "subscribe", id, node, key, from });
    return this.follow(ask, (message) => message.type !== "ranking" && listen(message));
  }

  /** Follow one key of one node, thinned for a chart: `chart` is asked each time, `again` asks anew. */
  look(
    node: string,
    key: string,
    chart: () => Chart,
    listen: (message: TimelineMessage) => void,
  ): { end: () => void; again: () => void } {
    const ask = (id: string): ClientMessage => ({ type: "subscribe", id, node, key, from: null, ...chart() });
    const take = (message: FollowMessage): void => {
      if (message.type !== "ranking") listen(message);
    };
    const subscription: Subscription = { ask, id: "", seq: null, listen: take };
    return { end: this.hold(subscription), again: () => this.begin(subscription) };
  }

  /** Follow the keys of a node that have the most; one message tells all of them. The answer ends it. */
  rank(question: RankQuestion, listen: (message: RankingMessage | ErrorMessage) => void): () => void {
    const ask = (id: string): ClientMessage => ({ type: "rank", id, ...question });
    return this.follow(
      ask,
      (message) => (message.type === "ranking" || message.type === "error") && listen(message),
    );
  }

  private follow(ask: Subscription["ask"], listen: Subscription["listen"]): () => void {
    return this.hold({ ask, id: "", seq: null, listen });
  }

  private hold(subscription: Subscription): () => void {
    this.begin(subscription);
    this.wake();
    return () => {
      this.subscriptions.delete(subscription.id);
      this.send({ type: "unsubscribe", id: subscription.id });
    };
  }

  /** Follow the status of a plan's nodes; the answer ends it. */
  watch(plan: number, listen: (message: StatusMessage) => void): () => void {
    const listeners = this.watches.get(plan) ?? new Set();
    listeners.add(listen);
    this.watches.set(plan, listeners);
    this.send({ type: "watch", plan });
    this.wake();
    return () => {
      listeners.delete(listen);
      if (listeners.size > 0) return;
      this.watches.delete(plan);
      this.send({ type: "unwatch", plan });
    };
  }

  /** Be on a plan: hear of who else is, and of what becomes of it. `select` tells the others what one looks at. */
  attend(
    plan: number,
    listen: PlanSubscription["listen"],
    lost: PlanSubscription["lost"] = () => undefined,
  ): { select: (names: readonly string[]) => void; leave: () => void } {
    const held: PlanSubscription = { selected: [], listen, lost };
    const tell = () => this.send({ type: "attend", plan, selected: held.selected });
    this.attended.set(plan, held);
    tell();
    this.wake();
    return {
      select: (names) => {
        held.selected = names;
        tell();
      },
      leave: () => {
        this.attended.delete(plan);
        this.send({ type: "leave", plan });
      },
    };
  }

  /** Hear how many incidents are firing, now and after each change, and of which alerts they change; the answer ends it. */
  followAlerts(listen: (message: AlertsMessage) => void): () => void {
    this.bells.add(listen);
    this.send({ type: "bell" });
    this.wake();
    return () => this.bells.delete(listen);
  }

  observe(observer: (state: State) => void): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  setHidden(hidden: boolean): void {
    if (this.hidden === hidden) return;
    this.hidden = hidden;
    if (!hidden) return this.wake();
    if (this.socket) this.contact.lose(this.around.now(), false);
    this.drop();
    this.become("paused");
  }

  /** The network went: what is open would not say that nothing comes any more. */
  lose(): void {
    if (this.socket) this.onClose(SILENT);
  }

  /** The network is back: do not wait any longer. */
  hurry(): void {
    if (this.state !== "waiting" || this.hidden) return;
    this.cancelTimer();
    this.failures = 0;
    this.connect();
  }

  private wake(): void {
    if (this.socket || this.hidden || this.state === "waiting") return;
    const { subscriptions, watches, attended, bells } = this;
    if (subscriptions.size + watches.size + attended.size + bells.size > 0) this.connect();
  }

  private connect(): void {
    this.contact.begin(this.around.now());
    this.become("connecting");
    const socket = this.around.open();
    this.socket = socket;
    socket.onopen = () => this.onOpen();
    socket.onmessage = (event) => this.onMessage(String(event.data));
    socket.onclose = (event) => this.onClose(event.code);
  }

  private onOpen(): void {
    this.opened = true;
    this.contact.hear(this.around.now());
    this.become("open");
    for (const plan of this.watches.keys()) this.send({ type: "watch", plan });
    for (const [plan, { selected }] of this.attended) this.send({ type: "attend", plan, selected });
    if (this.bells.size > 0) this.send({ type: "bell" });
    for (const subscription of [...this.subscriptions.values()]) this.begin(subscription);
    this.heard = true;
    this.keepAlive();
  }

  private keepAlive(): void {
    this.cancelTimer = this.around.later(() => {
      if (!this.heard) return this.onClose(SILENT);
      this.heard = false;
      this.send({ type: "ping" });
      this.keepAlive();
    }, PING_MS);
  }

  private onClose(code: number): void {
    this.contact.lose(this.around.now(), code === SILENT);
    this.drop();
    if (code === NOT_LOGGED_IN) return this.around.refused();
    this.become("waiting");
    if (code === TOO_MUCH) this.failures = MANY;
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures);
    this.failures += 1;
    this.cancelTimer = this.around.later(() => {
      if (!this.hidden) this.connect();
    }, wait);
  }

  private drop(): void {
    this.cancelTimer();
    const socket = this.socket;
    this.socket = null;
    this.opened = false;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private onMessage(text: string): void {
    this.heard = true;
    this.failures = 0;
    this.contact.hear(this.around.now());
    const message = JSON.parse(text) as ServerMessage;
    if (message.type === "pong") return;
    if (message.type === "bell" || message.type === "incidents")
      this.bells.forEach((listen) => listen(message));
    else if (message.type === "plan" || message.type === "people")
      this.attended.get(message.plan)?.listen(message);
    else if (message.type === "status") this.watches.get(message.plan)?.forEach((listen) => listen(message));
    else if (message.type === "error" && message.plan !== undefined) this.forget(message.plan);
    else if (message.type === "error" && message.id === null)
      this.subscriptions.forEach((one) => one.listen(message));
    else this.deliver(message);
  }

  /** A plan that may not be seen any more is asked for no more. */
  private forget(plan: number): void {
    this.watches.delete(plan);
    const held = this.attended.get(plan);
    this.attended.delete(plan);
    held?.lost();
  }

  private deliver(message: FollowMessage): void {
    const subscription = this.subscriptions.get(message.id ?? "");
    if (!subscription) return;
    if (message.type === "revision" && message.seq !== (subscription.seq ?? NaN) + 1)
      return this.begin(subscription);
    if (message.type === "snapshot" || message.type === "revision") subscription.seq = message.seq;
    if (message.type === "ranking") subscription.seq = 0;
    subscription.listen(message);
  }

  /** A new id each time, so that what is still on its way for the old one is not mistaken for the new one. */
  private begin(subscription: Subscription): void {
    if (this.subscriptions.delete(subscription.id) && subscription.seq !== null)
      this.send({ type: "unsubscribe", id: subscription.id });
    subscription.id = `s${this.nextId++}`;
    subscription.seq = null;
    this.subscriptions.set(subscription.id, subscription);
    this.send(subscription.ask(subscription.id));
  }

  private send(message: ClientMessage): void {
    if (this.opened) this.socket?.send(JSON.stringify(message));
  }

  private become(state: State): void {
    this.state = state;
    this.observers.forEach((observer) => observer(state));
  }
}
