import { useSyncExternalStore } from "react";
import { readKnownNow, getConnection } from "../core/socket/pageConnection";

const TICK_MS = 1000;

/** One clock for all who look; it stands still while the page is hidden or nobody looks, and while nothing is heard. */
class Clock {
  private now = readKnownNow();
  private timer = 0;
  private deaf: () => void = () => undefined;
  private readonly listeners = new Set<() => void>();

  readonly read = (): number => this.now;

  readonly listen = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.begin();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.end();
    };
  };

  private readonly tick = (): void => {
    this.now = readKnownNow();
    this.listeners.forEach((listener) => listener());
  };

  private readonly turn = (): void => {
    window.clearInterval(this.timer);
    if (document.hidden) return;
    this.timer = window.setInterval(this.tick, TICK_MS);
    this.tick();
  };

  private begin(): void {
    document.addEventListener("visibilitychange", this.turn);
    this.deaf = getConnection().observe(this.tick);
    this.now = readKnownNow();
    this.timer = window.setInterval(this.tick, TICK_MS);
  }

  private end(): void {
    document.removeEventListener("visibilitychange", this.turn);
    this.deaf();
    window.clearInterval(this.timer);
  }
}

const clock = new Clock();

/** Be told of each second while the page is seen; and what the clock says. */
export const onTick = clock.listen;
export const readClock = clock.read;

/** The wall clock in microseconds, once a second while the page is seen. */
export function useClock(): number {
  return useSyncExternalStore(clock.listen, clock.read);
}
