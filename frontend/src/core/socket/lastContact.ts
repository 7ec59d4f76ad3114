/** When a page last heard from the server; it shows the state as of then. Times are wall-clock microseconds. Pure. */

export class LastContact {
  private heardAt = -Infinity;
  /** Null while it is connected, and before its first try. */
  lostAt: number | null = null;

  /** Begin to connect, for the first time or again. */
  begin(now: number): void {
    this.lostAt ??= now;
  }

  hear(now: number): void {
    this.heardAt = now;
    this.lostAt = null;
  }

  /** Note a lost connection. If it broke silently, the last message counts as the last contact. */
  lose(now: number, silently: boolean): void {
    this.lostAt ??= silently ? Math.min(this.heardAt, now) : now;
  }
}
