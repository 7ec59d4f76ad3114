/** An editor may hold typed text that is not in the document yet: it is asked before anything is done to the document. */

export interface Typing {
  /** Take typed text back, or bring it again; false where there is none. */
  undo(): boolean;
  redo(): boolean;
  /** Show a place of the text, line and column from 1. */
  goTo(place: readonly [line: number, column: number]): void;
  /** Read now what is typed. */
  settle(): Promise<void>;
}

let current: Typing | null = null;

export function setTyping(typing: Typing | null): void {
  current = typing;
}

export const undoTyping = (): boolean => current?.undo() ?? false;
export const redoTyping = (): boolean => current?.redo() ?? false;
/** Show a place of the text that is open; false where none is. */
export function showPlace(line: number, column: number): boolean {
  current?.goTo([line, column]);
  return current !== null;
}

export const settleTyping = (): Promise<void> => current?.settle() ?? Promise.resolve();
