/** The operators, as they describe themselves. */
import type { OutputKind, Scalar } from "./types";

export type ParameterType = "predicate" | "duration" | "field" | "value" | "choice" | "text" | "number";

export interface InputPort {
  name: string;
  title: string;
  kinds: OutputKind[];
  many: boolean;
  minimum: number;
  required: boolean;
  help: string;
}

export interface Parameter {
  name: string;
  title: string;
  type: ParameterType;
  required: boolean;
  choices: string[];
  default: Scalar | null;
  help: string;
  placeholder: string;
}

export type Category = "stream" | "timelines" | "keys";

export interface Operator {
  name: string;
  title: string;
  category: Category;
  summary: string;
  description: string;
  needs_stream: boolean;
  inputs: InputPort[];
  parameters: Parameter[];
  /** Of these ports and parameters exactly one is given. */
  one_of: string[];
  output: OutputKind;
  /** A plan that ends with it, and events: the second, the key where it is not s1, the fields. */
  example: { plan: string; events: string[] };
}
