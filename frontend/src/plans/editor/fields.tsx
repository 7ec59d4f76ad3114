/** One field component for every type of parameter; the map is total, so a missing one does not compile. */
import { useId, type ComponentType } from "react";
import type { OutputKind, Parameter, ParameterType, Scalar, Stream } from "../../core/api/types";
import { isChoice, isDuration } from "../../core/graph/hints";
import { typeOf } from "../../core/graph/kinds";
import { buildExampleCondition, readAsText } from "../../core/graph/examples";
import { parseValue, spell } from "../../core/graph/values";
import { CommonValues } from "./CommonValues";
import { ConditionInput } from "./ConditionInput";
import type { FieldProps } from "./fieldProps";
import { BreaksField, StepsField } from "./StepsField";

interface LineProps extends FieldProps {
  kindOfText?: OutputKind;
  /** What may stand here, where there is no default; without it, what the operator gives as an example. */
  hint?: string;
  code?: boolean;
  list?: string;
  invalid?: boolean;
}

/** What stands in an empty field. The examples of operators know nothing of the stream that a node reads. */
function placeholder({ placeholder: example, default: usual }: Parameter, hint?: string): string {
  if (usual !== null) return spell(usual);
  return hint ?? example;
}

function Line({ id, parameter, value, change, kindOfText = "text", hint, code, list, invalid }: LineProps) {
  return (
    <input
      id={id}
      data-testid={`param-${parameter.name}`}
      className={code ? "code" : undefined}
      value={spell(value)}
      placeholder={placeholder(parameter, hint)}
      list={list}
      spellCheck={false}
      autoComplete="off"
      aria-invalid={invalid || undefined}
      onChange={(event) => change(parseValue(event.target.value, kindOfText))}
    />
  );
}

function fieldNames(stream: Stream | undefined): string[] {
  if (!stream) return [];
  return [...new Set([...Object.keys(stream.fields), ...stream.seen_fields])].sort();
}

function Predicate(props: FieldProps) {
  const names = fieldNames(props.stream);
  return (
    <>
      <ConditionInput
        id={props.id}
        data-testid={`param-${props.parameter.name}`}
        value={spell(props.value)}
        placeholder={placeholder(props.parameter, buildExampleCondition(props.stream))}
        stream={props.stream}
        take={(text) => props.change(parseValue(text, "text"))}
      />
      {names.length > 0 && <small className="faint">Fields: {names.join(", ")}</small>}
    </>
  );
}

function Duration(props: FieldProps) {
  const invalid = props.value !== undefined && !isDuration(props.parameter, spell(props.value));
  return (
    <Line
      {...props}
      hint={props.parameter.placeholder || "250ms, 5s, 10min, 2h, 1d"}
      invalid={invalid}
      code
    />
  );
}

function Field(props: FieldProps) {
  const list = useId();
  const isComputed = spell(props.value).trimStart().startsWith("=");
  return (
    <>
      <ConditionInput
        id={props.id}
        data-testid={`param-${props.parameter.name}`}
        value={spell(props.value)}
        placeholder={placeholder(props.parameter, "a field of the stream")}
        stream={props.stream}
        list={isComputed ? undefined : list}
        onlyComputed
        take={(text) => props.change(parseValue(text, "text"))}
      />
      <datalist id={list}>
        {fieldNames(props.stream).map((name) => (
          <option key={name} value={name}>
            {props.stream && typeOf(props.stream, name)}
          </option>
        ))}
      </datalist>
    </>
  );
}

interface ChoiceProps extends FieldProps {
  choices: readonly string[];
  take: (text: string) => Scalar | undefined;
}

function Choices({ id, parameter, value, change, choices, take }: ChoiceProps) {
  const unset = parameter.default === null ? "–" : `${spell(parameter.default)} (default)`;
  return (
    <select
      id={id}
      data-testid={`param-${parameter.name}`}
      value={spell(value)}
      onChange={(event) => change(take(event.target.value))}
    >
      <option value="">{unset}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}

/** A choice that may also be any percentile: one may write it, or take what is proposed. */
function Percentile(props: FieldProps) {
  const list = useId();
  const invalid = props.value !== undefined && !isChoice(props.parameter, spell(props.value));
  return (
    <>
      <Line {...props} list={list} invalid={invalid} code />
      <datalist id={list}>
        {props.parameter.choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </datalist>
      <small className="faint">Or any percentile above p0 and up to p100, such as p95 or p99.9</small>
    </>
  );
}

function Choice(props: FieldProps) {
  if (props.parameter.percentiles) return <Percentile {...props} />;
  return <Choices {...props} choices={props.parameter.choices} take={(text) => text || undefined} />;
}

function Value(props: FieldProps) {
  if (props.kind === "bool")
    return <Choices {...props} choices={["true", "false"]} take={(text) => parseValue(text, "bool")} />;
  const hint = props.kind === "number" ? "a number, or a duration" : "a value";
  const words = readAsText(props.value, props.kind);
  return (
    <>
      <Line {...props} kindOfText={props.kind} hint={hint} />
      {words !== null && (
        <small className="faint" data-testid={`as-text-${props.parameter.name}`}>
          {words}
        </small>
      )}
      <CommonValues {...props} />
    </>
  );
}

function Text(props: FieldProps) {
  return <Line {...props} />;
}

function NumberField(props: FieldProps) {
  const invalid = props.value !== undefined && typeof props.value !== "number";
  return (
    <Line {...props} kindOfText="number" hint={props.parameter.placeholder || "a number"} invalid={invalid} />
  );
}

export const FIELDS: Readonly<Record<ParameterType, ComponentType<FieldProps>>> = {
  predicate: Predicate,
  duration: Duration,
  field: Field,
  value: Value,
  choice: Choice,
  text: Text,
  number: NumberField,
  zone: Text,
  clock: Text,
  days: Text,
  steps: StepsField,
  breaks: BreaksField,
};
