/** Whether an input or a parameter of an operator must be given, in a word or two. Pure. */
import type { Operator } from "../api/types";

const titleOf = ({ inputs, parameters }: Operator, name: string): string =>
  ([...inputs, ...parameters].find((one) => one.name === name)?.title ?? name).toLowerCase();

/** Nothing where it must; of some of which exactly one is given, the others. */
export function describeRequirement(operator: Operator, one: { name: string; required: boolean }): string {
  if (!operator.one_of.includes(one.name)) return one.required ? "" : "optional";
  const others = operator.one_of.filter((name) => name !== one.name);
  return `or ${others.map((name) => titleOf(operator, name)).join(" or ")}`;
}
