/** What is said beside the fields of a node: an example of its own stream, and how a literal is read. Pure. */
import type { FieldType, OutputKind, ParameterValue, Stream } from "../api/types";
import { spellsNumber } from "./values";

const COMPARED: Readonly<Record<FieldType, string>> = {
  text: '== "value"',
  number: "> 0",
  bool: "== true",
};

/** Such a name is written in a condition as it is. */
const PLAIN = /^[A-Za-z_]\w*$/;

/** A condition on a field that the stream has; on none in particular where no field of it is known. */
export function buildExampleCondition(stream: Pick<Stream, "fields"> | undefined): string {
  const [name, type] = Object.entries(stream?.fields ?? {}).find(([one]) => PLAIN.test(one)) ?? [];
  return `${name ?? "field"} ${COMPARED[type ?? "text"]}`;
}

/** That a number is taken as text, where it is compared with text or with what is not known yet; else null. */
export function readAsText(value: ParameterValue | undefined, kind: OutputKind): string | null {
  if (typeof value !== "string" || !spellsNumber(value)) return null;
  if (kind === "text") return `This is the text "${value}", as what it is compared with is text.`;
  return kind === "any" ? `This is the text "${value}" until it is known what it is compared with.` : null;
}
