/** The cells of a CSV file. Pure. */
import type { Scalar } from "../core/api/types";

/** Spreadsheets take a cell that begins so for something to be computed. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: Scalar | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const harmless = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const csvLines = (rows: readonly (readonly (Scalar | null)[])[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
