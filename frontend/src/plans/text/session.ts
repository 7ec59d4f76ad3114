/**
 * A text that is another view of the document. What is typed becomes the document as soon as it can be read; what changes
 * the document elsewhere changes the text, also under what is being typed. No CodeMirror view, no React: it is tested alone.
 */
import { diff } from "@codemirror/merge";
import { ChangeSet, Text } from "@codemirror/state";
import type { PlanDocument, Problem } from "../../core/api/types";
import { shareStructure } from "../../core/graph/structuralSharing";
import type { Memory } from "./memory";

/** A place in the text, line and column from 1. */
export type Place = readonly [line: number, column: number];

export type Located = Problem;

/** What a text says: no document where it cannot be read. */
export interface Reading {
  document: PlanDocument | null;
  problems: readonly Located[];
  places: Readonly<Record<string, Place>>;
}

/** A way to write documents as text. */
export interface Form {
  write(document: PlanDocument): Promise<string>;
  read(text: string): Promise<Reading>;
}

/** Where the text stands. */
export interface TextHolder {
  text(): string;
  apply(changes: ChangeSet): void;
  /** What was typed until now is part of the document: it is undone there. */
  settled(): void;
}

export interface SyncState {
  state: "even" | "reading" | "unread" | "away";
  problems: readonly Located[];
  places: Reading["places"];
  /** Why the server could not be asked. */
  failure: string | null;
}

/** Where the document is. */
export interface DocumentHolder {
  document(): PlanDocument;
  take(document: PlanDocument): void;
  tell(standing: SyncState): void;
}

const AGAIN_MS = 3000;

/** Typed text that is not in the document: what it is based on, and what it says. */
export interface Draft {
  base: PlanDocument;
  text: string;
}

function changes(from: string, to: string): ChangeSet {
  const parts = diff(from, to).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: Text.of(to.slice(fromB, toB).split("\n")),
  }));
  return ChangeSet.of(parts, from.length);
}

/** The change from `before` to `after`, made to `current`, which also stems from `before`. */
function merge(before: string, after: string, current: string): ChangeSet {
  return changes(before, after).map(changes(before, current), true);
}

function applied(set: ChangeSet, text: string): string {
  return set.apply(Text.of(text.split("\n"))).toString();
}

export class Session {
  private base: PlanDocument;
  private dirty = false;
  private queue: Promise<void> = Promise.resolve();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private standing: SyncState = { state: "even", problems: [], places: {}, failure: null };

  constructor(
    private readonly form: Form,
    private readonly sheet: TextHolder,
    private readonly desk: DocumentHolder,
    private readonly memory: Memory,
    private readonly patience = 250,
  ) {
    this.base = desk.document();
  }

  /** Show the document, and what was typed before that could not be read. */
  open(draft: Draft | null): Promise<void> {
    return this.next(async () => {
      this.base = draft?.base ?? this.desk.document();
      const text = draft?.text ?? this.memory.typed.get(this.base) ?? (await this.plain(this.base));
      this.dirty = draft !== null;
      this.replace(text);
      this.sheet.settled();
      if (!this.dirty) this.memory.typed.set(this.base, text);
      await this.catchUp();
      await this.read();
    });
  }

  get isDirty(): boolean {
    return this.dirty;
  }

  draft(): Draft | null {
    return this.dirty ? { base: this.base, text: this.sheet.text() } : null;
  }

  /** Somebody types. */
  typed(): void {
    this.dirty = this.sheet.text() !== this.memory.typed.get(this.base);
    this.tell({ state: "reading" });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.settle(), this.patience);
  }

  /** The document changed, here or elsewhere. */
  follow(): void {
    if (this.desk.document() !== this.base) void this.next(() => this.catchUp().then(() => this.read()));
  }

  /** What is typed is read now; afterwards it is in the document, or cannot be read. */
  settle(): Promise<void> {
    clearTimeout(this.timer);
    return this.next(() => this.read());
  }

  /** Give up what is typed and not in the document. */
  discard(): Promise<void> {
    clearTimeout(this.timer);
    return this.next(async () => {
      this.replace(this.memory.typed.get(this.base) ?? (await this.plain(this.base)));
      this.dirty = false;
      this.sheet.settled();
      await this.read();
    });
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((error: unknown) => {
      const failure = error instanceof Error ? error.message : String(error);
      this.tell({ state: "away", failure });
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.settle(), AGAIN_MS);
    });
    return this.queue;
  }

  private tell(change: Partial<SyncState>): void {
    this.standing = { ...this.standing, failure: null, ...change };
    this.desk.tell(this.standing);
  }

  /** The document as the form itself writes it. */
  private async plain(document: PlanDocument): Promise<string> {
    const known = this.memory.plain.get(document);
    if (known !== undefined) return known;
    const text = await this.form.write(document);
    this.memory.plain.set(document, text);
    return text;
  }

  private replace(text: string): void {
    const current = this.sheet.text();
    if (text !== current) this.sheet.apply(changes(current, text));
  }

  /** Read the text; one that can be read becomes the document. */
  private async read(): Promise<void> {
    if (this.desk.document() !== this.base) await this.catchUp();
    const text = this.sheet.text();
    const reading = await this.form.read(text);
    if (this.sheet.text() !== text) return; // Somebody types on: it is read again.
    if (this.desk.document() !== this.base) return this.read();
    const { problems, places } = reading;
    if (reading.document === null) return this.tell({ state: "unread", problems });
    if (this.dirty) this.take(shareStructure(this.base, this.named(reading.document)), text);
    this.tell({ state: "even", problems, places });
  }

  private take(document: PlanDocument, text: string): void {
    this.dirty = false;
    if (document !== this.base) this.desk.take(document);
    this.base = this.desk.document();
    this.memory.typed.set(this.base, text);
    this.sheet.settled();
  }

  private named(document: PlanDocument): PlanDocument {
    return { ...document, name: document.name ?? this.base.name };
  }

  /** Make the changes that the document saw elsewhere. */
  private async catchUp(): Promise<void> {
    const target = this.desk.document();
    if (target === this.base) return;
    const known = this.dirty ? undefined : this.memory.typed.get(target);
    const text = known ?? (await this.combined(target));
    if (text === null) return this.catchUp();
    this.replace(text);
    this.base = target;
    if (this.dirty) this.dirty = text !== this.memory.plain.get(target);
    if (this.dirty) return;
    this.memory.typed.set(target, text);
    this.sheet.settled();
  }

  /** The text with the changes in it that lead to `target`; null where something moved on meanwhile. */
  private async combined(target: PlanDocument): Promise<string | null> {
    const before = await this.plain(this.base);
    const after = await this.plain(target);
    const current = this.sheet.text();
    if (this.desk.document() !== target) return null;
    if (!this.dirty && current === before) return after;
    const text = applied(merge(before, after, current), current);
    if (this.dirty) return text;
    // As it was typed, as far as that still means the same.
    const { document } = await this.form.read(text);
    if (this.dirty || this.desk.document() !== target) return null;
    return document !== null && shareStructure(target, this.named(document)) === target ? text : after;
  }
}
