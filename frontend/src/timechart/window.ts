/** A stretch of time that is looked at, microseconds. */
export interface Window {
  readonly start: number;
  readonly end: number;
}
