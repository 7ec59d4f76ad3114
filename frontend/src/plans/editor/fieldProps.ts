import type { StreamField } from "../../core/graph/kinds";
import type { OutputKind, Parameter, ParameterValue, Stream } from "../../core/api/types";

/** What the field of a parameter is given, whatever its kind. */
export interface FieldProps {
  id: string;
  parameter: Parameter;
  value: ParameterValue | undefined;
  stream: Stream | undefined;
  kind: OutputKind;
  /** The field with whose values a value is compared, where that is known. */
  origin?: StreamField | null;
  /** The names of the node's steps, where it has any. */
  steps?: readonly string[];
  change: (value: ParameterValue | undefined) => void;
}
