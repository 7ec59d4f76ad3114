/** One field component for every type of parameter; the map is total, so a missing one does not compile. */
import { useId, type ComponentType } from "react";
import type { OutputKind, Parameter, ParameterType, Scalar, Stream } from "../api/types";
import { DURATION } from "../graph/hints";
import { typeOf } from "../graph/kinds";
import { parseValue, spell } from "../graph/values";

export interface FieldProps {
  id: string;
  parameter: Parameter;
  value: Scalar | undefined;
  stream: Stream | undefined;
  kind: OutputKind;
  change: (value: Scalar | undefined) => void;
}

function placeholder(parameter: Parameter, otherwise: string): string {
  return parameter.placeholder || (parameter.default === null ? otherwise : spell(parameter.default));
}

interface LineProps extends FieldProps {
  kindOfText?: OutputKind;
  hint: string;
  code?: boolean;
  list?: string;
  invalid?: boolean;
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
      <Line {...props} hint='player_state == "play"' code />
      {names.length > 0 && <small className="faint">Fields: {names.join(", ")}</small>}
    </>
  );
}

function Duration(props: FieldProps) {
  const invalid = props.value !== undefined && !DURATION.test(spell(props.value));
  return <Line {...props} hint="250ms, 5s, 10min, 2h, 1d" invalid={invalid} code />;
}

function Field(props: FieldProps) {
  const list = useId();
  return (
    <>
      <Line {...props} hint="a field of the stream" list={list} code />
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
  const unset = parameter.default === null ? "–" : `${spell(parameter.default)} (as usual)`;
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

function Choice(props: FieldProps) {
  return <Choices {...props} choices={props.parameter.choices} take={(text) => text || undefined} />;
}

function Value(props: FieldProps) {
  if (props.kind === "bool")
    return <Choices {...props} choices={["true", "false"]} take={(text) => parseValue(text, "bool")} />;
  const hint = props.kind === "number" ? "a number, or a duration" : "a value";
  return <Line {...props} kindOfText={props.kind} hint={hint} />;
}

function Text(props: FieldProps) {
  return <Line {...props} hint="" />;
}

function NumberField(props: FieldProps) {
  const invalid = props.value !== undefined && typeof props.value !== "number";
  return <Line {...props} kindOfText="number" hint="a number" invalid={invalid} />;
}

export const FIELDS: Readonly<Record<ParameterType, ComponentType<FieldProps>>> = {
  predicate: Predicate,
  duration: Duration,
  field: Field,
  value: Value,
  choice: Choice,
  text: Text,
  number: NumberField,
};
