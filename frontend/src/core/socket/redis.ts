/** Whether Redis is there: without it the server tells late what happens, and runs and stops nothing. */

/** So often it is asked while all is well, and while it is away. */
export const SELDOM_MS = 20_000;
export const OFTEN_MS = 5000;

/** How Redis is: `silent` gave no answer in time, as it does on a busy machine too. */
export type RedisState = "there" | "away" | "silent";

interface Surroundings {
  /** How Redis is; null where that could not be asked. */
  ask(): Promise<RedisState | null>;
  told(away: boolean): void;
  later(action: () => void, ms: number): () => void;
  /** Nobody looks at the page. */
  hidden(): boolean;
}

/** Looks after it as long as a page is open; not while nobody looks. */
export class RedisWatch {
  private away = false;
  private silent = false;
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
    const found = this.around.hidden() ? null : await this.around.ask();
    if (this.ended) return;
    // Where the server cannot be asked, that is said elsewhere; of Redis nothing new is known.
    if (found !== null) this.take(found);
    const ms = this.away || this.silent ? OFTEN_MS : SELDOM_MS;
    this.cancel = this.around.later(() => void this.look(), ms);
  }

  /** One look without an answer says nothing yet; two, one after the other, that it is away. */
  private take(found: RedisState): void {
    const away = found === "away" || (found === "silent" && (this.silent || this.away));
    this.silent = found === "silent";
    if (away !== this.away) this.around.told((this.away = away));
  }
}

interface Readiness {
  parts?: { redis?: { ready?: boolean; word?: string } };
}

/** Asks the server, which answers within three seconds or is away. */
export async function askForRedis(): Promise<RedisState | null> {
  try {
    const answer = await fetch("/readyz?only=redis", {
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(OFTEN_MS),
    });
    const redis = ((await answer.json()) as Readiness).parts?.redis;
    if (redis?.ready === undefined) return null;
    if (redis.ready) return "there";
    return redis.word === "does not answer" ? "silent" : "away";
  } catch {
    return null;
  }
}
