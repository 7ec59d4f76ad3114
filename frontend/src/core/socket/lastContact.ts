/** Since when a page hears nothing: what it shows is as of then. Times in microseconds of the wall clock. Pure. */

export class LastContact {
  private heardAt = -Infinity;
  /** Null while it can hear, and before it has tried to. */
  lostAt: number | null = null;

  /** It tries to hear, for the first time or again. */
  begin(now: number): void {
    this.lostAt ??= now;
  }

  hear(now: number): void {
    this.heardAt = now;
    this.lostAt = null;
  }

  /** It hears no more. Where nobody said good-bye, only what was heard is sure. */
  lose(now: number, silently: boolean): void {
    this.lostAt ??= silently ? Math.min(this.heardAt, now) : now;
  }
}
