/** What an operator takes and gives, in the words of the text language. */
import type { InputPort, Operator, Parameter } from "../../core/api/types";
import { SIGNS } from "../../core/language/words";

export interface Argument {
  name: string;
  /** What stands there, as it is shown in a signature. */
  shown: string;
  optional: boolean;
  help: string;
}

const PREDICATE = "stream.field == value";
const STEPS = `steps = {name: ${PREDICATE}, …}`;

function parameterShown(parameter: Parameter, takesStream: boolean): string {
  if (parameter.type === "predicate") return parameter.required ? PREDICATE : `where = ${PREDICATE}`;
  if (parameter.type === "field") return takesStream ? "stream.field" : "field";
  if (parameter.type === "steps") return STEPS;
  if (parameter.type === "breaks") return `not = [${PREDICATE}, …]`;
  if (parameter.type === "choice")
    return [...parameter.choices, ...(parameter.percentiles ? ["pNN"] : [])].join("|");
  return parameter.name;
}

function ofPort(port: InputPort): Argument {
  const kinds = port.kinds.join(" or ");
  const help = port.help || `${port.title}: ${kinds}`;
  return {
    name: port.name,
    shown: port.many ? `${port.name}, …` : port.name,
    optional: !port.required,
    help,
  };
}

function ofParameter(parameter: Parameter, takesStream: boolean): Argument {
  return {
    name: parameter.name,
    shown: parameterShown(parameter, takesStream),
    optional: !parameter.required,
    help: parameter.help || parameter.title,
  };
}

/**
 * The arguments in the order in which they are given: the inputs, then the parameters. What reads a stream takes that
 * behind the inputs that it must have, and the other inputs by name.
 */
export function argumentsOf(operator: Operator): Argument[] {
  const parameters = operator.parameters.map((parameter) => ofParameter(parameter, operator.takes_stream));
  if (!operator.takes_stream) return [...operator.inputs.map(ofPort), ...parameters];
  const bare = !operator.parameters.some((parameter) => parameter.required);
  const optional = !operator.needs_stream;
  const stream = { name: "stream", shown: "stream", optional, help: "The stream that it reads" };
  const inputs = (required: boolean) =>
    operator.inputs.filter((input) => input.required === required).map(ofPort);
  return [...inputs(true), ...(bare ? [stream] : []), ...parameters, ...inputs(false)];
}

const shownIn = (operator: Operator, argument: Argument): string =>
  argument.optional && !operator.one_of.includes(argument.name) ? `[${argument.shown}]` : argument.shown;

export function signatureOf(operator: Operator): string {
  const list = argumentsOf(operator).filter((argument) => !operator.one_of.includes(argument.name));
  const words = list.map((argument) => shownIn(operator, argument));
  if (operator.one_of.length > 0) words.push(operator.one_of.join("|"));
  return `${operator.name}(${words.join(", ")})`;
}

/** How it is written without its name, where it can be. */
export function shortForm(operator: Operator): string {
  const sign = SIGNS[operator.name];
  if (sign !== undefined) return `of ${sign} other`;
  if (operator.name === "and" || operator.name === "or") return `a ${operator.name} b`;
  return operator.name === "not" ? "not a" : "";
}

/** What is put in where the operator is chosen: required arguments as places to fill in. */
export function buildTemplate(operator: Operator): string {
  const places = argumentsOf(operator).flatMap((argument) => {
    if (operator.one_of.length > 0 && operator.one_of.includes(argument.name))
      return argument.name === operator.one_of[0] ? [`#{${operator.one_of.join(" or ")}}`] : [];
    if (argument.optional) return [];
    if (argument.shown === STEPS) return ["steps = {first: #{condition}, second: #{condition}}"];
    return [`#{${argument.shown === PREDICATE ? "condition" : argument.shown.replace(", …", "")}}`];
  });
  return `${operator.name}(${places.join(", ")})`;
}
