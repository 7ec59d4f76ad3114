/**
 * The queue of lanes that Plotly draws: few in a frame, so that the page stays responsive. While the window moves, only
 * lanes that would soon show nothing are drawn, and seldom. A lane that is queued twice is drawn once.
 */
const REST_MS = 120;
/** Two moves within this time belong to one gesture. */
const QUIET_MS = 250;
const FRAME_MS = 8;
const SELDOM_MS = 50;

interface Waiting {
  readonly draw: () => void;
  readonly urgent: boolean;
}

export interface DrawQueueClock {
  now(): number;
  frame(action: () => void): void;
  later(action: () => void, ms: number): void;
}

export class DrawQueue {
  private readonly waiting = new Map<object, Waiting>();
  private moved = -Infinity;
  private gesture = false;
  private coming = false;

  constructor(private readonly around: DrawQueueClock) {}

  /** The window moved. */
  move(): void {
    const now = this.around.now();
    this.gesture = now - this.moved < QUIET_MS;
    this.moved = now;
  }

  get moving(): boolean {
    return this.gesture && this.around.now() - this.moved < REST_MS;
  }

  /** Queue a drawing; `urgent` if the present one cannot be moved to fit the window. */
  ask(who: object, draw: () => void, urgent = false): void {
    this.waiting.set(who, { draw, urgent });
    this.come();
  }

  forget(who: object): void {
    this.waiting.delete(who);
  }

  private come(): void {
    if (this.coming || this.waiting.size === 0) return;
    this.coming = true;
    const turn = (): void => {
      this.coming = false;
      try {
        this.turn();
      } finally {
        this.come();
      }
    };
    if (this.moving) this.around.later(() => this.around.frame(turn), SELDOM_MS);
    else this.around.frame(turn);
  }

  private turn(): void {
    const began = this.around.now();
    const { moving } = this;
    for (const [who, { draw, urgent }] of this.waiting) {
      if (this.around.now() - began > FRAME_MS) return;
      if (moving && !urgent) continue;
      this.waiting.delete(who);
      draw();
      if (moving) return;
    }
  }
}

export const drawQueue = new DrawQueue({
  now: () => performance.now(),
  frame: (action) => void requestAnimationFrame(action),
  later: (action, ms) => void setTimeout(action, ms),
});
