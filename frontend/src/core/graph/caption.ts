/** What a node is set to, in a line as its card shows it: ÷ 300, = "failed", over 5 min. Pure. */
import type { Parameter, PlanDocument } from "../api/types";
import { sourcesAt } from "./document";
import { literalKind, spellShortly } from "./values";
import type { Catalogue } from "./wiring";

const DURATION = /^([\d.]+)(us|ms|s|min|h|d)$/;
const PLACE = /\{(\w+)\}/g;

function spellSetting({ type }: Parameter, value: unknown, isNumber: boolean): string {
  const isText = type === "value" && typeof value === "string" && !isNumber;
  return isText ? `"${value}"` : spellShortly(value).replace(type === "predicate" ? /^$/ : DURATION, "$1 $2");
}

/** Empty where nothing is set. */
export function captionOf(document: PlanDocument, name: string, catalogue: Catalogue): string {
  const { op, params = {} } = document.nodes[name] ?? {};
  const operator = catalogue.operators.get(op ?? "");
  if (!operator) return Object.values(params).map(spellShortly).join(", ");
  const isNumber = literalKind(document, name, operator, catalogue) === "number";
  const set = operator.parameters.filter((parameter) => params[parameter.name] !== undefined);
  const settings = new Map(set.map((one) => [one.name, spellSetting(one, params[one.name], isNumber)]));
  const held = (place: string): string | undefined =>
    settings.get(place) ?? sourcesAt(document.nodes[name], place)[0];
  // A value may also come by a wire: then the name of the node stands in its place.
  const filled = (place: string): string | undefined =>
    held(place) ?? operator.one_of.map(held).find((one) => one !== undefined);
  const shown = new Set([...operator.caption.matchAll(PLACE)].map(([, place]) => place ?? ""));
  const isFilled = shown.size > 0 && [...shown].every((place) => filled(place) !== undefined);
  const caption = isFilled ? operator.caption.replace(PLACE, (_, place: string) => filled(place) ?? "") : "";
  const others = [...settings].flatMap(([one, words]) => (isFilled && shown.has(one) ? [] : [words]));
  return [caption, ...others].filter((one) => one !== "").join(", ");
}
