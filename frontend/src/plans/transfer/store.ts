/** What is being imported: a dialog that is open, and what it was given. */
import { create } from "zustand";

interface TransferState {
  open: boolean;
  text: string;
  /** The file that it comes from; empty where it was pasted. */
  source: string;
}

export const useTransfer = create<TransferState>(() => ({ open: false, text: "", source: "" }));

export function openImport(text = "", source = ""): void {
  useTransfer.setState({ open: true, text, source });
}

export function setImportText(text: string, source: string): void {
  useTransfer.setState({ text, source });
}

export function closeImport(): void {
  useTransfer.setState({ open: false, text: "", source: "" });
}

/** So much of a file is looked at; what is longer is refused by its length. */
const MOST = 48 * 2 ** 20;

export async function setImportFile(file: File): Promise<void> {
  const text = await file.slice(0, MOST).text();
  if (useTransfer.getState().open) setImportText(text, file.name);
  else openImport(text, file.name);
}
