/** Whether Redis is there: without it the server tells late what happens, and runs and stops nothing. */

/** So often it is asked while all is well, and while it is away. */
export const SELDOM_MS = 20_000;
export const OFTEN_MS = 5000;

interface Surroundings {
  /** Whether Redis is there; null where that could not be asked. */
  ask(): Promise<boolean | null>;
  told(away: boolean): void;
  later(action: () => void, ms: number): () => void;
  /** Nobody looks at the page. */
  hidden(): boolean;
}

/** Looks after it as long as a page is open; not while nobody looks. */
export class RedisWatch {
  private away = false;
  private ended = false;
  private cancel: () => void = () => undefined;

  constructor(private readonly around: Surroundings) {
    void this.look();
  }

  end(): void {
    this.ended = true;
    this.cancel();
  }

  private async look(): Promise<void> {
    const there = this.around.hidden() ? null : await this.around.ask();
    if (this.ended) return;
    // Where the server cannot be asked, that is said elsewhere; of Redis nothing new is known.
    if (there !== null && this.away === there) this.around.told((this.away = !there));
    this.cancel = this.around.later(() => void this.look(), this.away ? OFTEN_MS : SELDOM_MS);
  }
}

interface Readiness {
  parts?: { redis?: { ready?: boolean } };
}

/** Asks the server. */
export async function isRedisThere(): Promise<boolean | null> {
  try {
    const answer = await fetch("/readyz?only=redis", { headers: { Accept: "application/json" } });
    return ((await answer.json()) as Readiness).parts?.redis?.ready ?? null;
  } catch {
    return null;
  }
}
