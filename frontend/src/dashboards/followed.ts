/** Something that charts listen to while they are seen, whatever it is asked of. */
import type { ErrorMessage } from "../core/api/types";

/** Told of every change: from which instant on something is different. */
export type Listener = (since: number) => void;

export const EVER = -Infinity;
const AGAIN_MS = 3000;

export interface Subscription {
  join(): void;
  leave(): void;
}

/** Something that is followed while anybody listens; one that refuses is asked again after a while. */
export abstract class Followed<S extends { error: string | null }> {
  private readonly listeners = new Set<Listener>();
  private stop: () => void = () => undefined;
  private timer = 0;
  abstract state: S;

  /** `place`: where it is found while anybody listens. */
  constructor(private readonly place: Subscription) {}

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      this.place.join();
      this.begin();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.halt();
      this.place.leave();
    };
  }

  protected abstract open(): () => void;

  protected begin(): void {
    this.halt();
    this.stop = this.open();
  }

  private halt(): void {
    window.clearTimeout(this.timer);
    this.stop();
    this.stop = () => undefined;
  }

  /** What is known before anything was heard. */
  protected abstract nothing(): S;

  protected refused(message: ErrorMessage): void {
    // Of a node that may not be seen (any more) nothing stays.
    const lost = message.code === "unknown_node";
    const kept = lost ? this.nothing() : this.state;
    // Why it went is told until it is back; to be asked again in vain adds nothing to that.
    const words = lost ? (this.state.error ?? message.message) : message.message;
    this.become({ ...kept, error: words }, EVER);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.begin(), AGAIN_MS);
  }

  protected become(state: S, since: number): void {
    this.state = state;
    for (const listener of [...this.listeners]) listener(since);
  }
}

/** One for all who listen to the same. */
export function getOrCreate<F>(held: Map<string, F>, id: string, make: (place: Subscription) => F): F {
  const found = held.get(id);
  if (found) return found;
  const made = make({
    join: () => held.set(id, made),
    leave: () => held.get(id) === made && held.delete(id),
  });
  held.set(id, made);
  return made;
}
