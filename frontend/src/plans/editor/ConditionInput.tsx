/** A line in which a condition or a computed value is written: completes fields and functions, and says what these are. */
import {
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type InputHTMLAttributes,
  type KeyboardEvent,
} from "react";
import type { Stream } from "../../core/api/types";
import { typeOf } from "../../core/graph/kinds";
import {
  fillIn,
  findFunctionAround,
  suggestInCondition,
  type ConditionSuggestion,
  type Fields,
} from "../../core/language/conditionHelp";
import type { StreamValues } from "../../core/api/streams";
import {
  commonValues,
  formatSample,
  formatUnseen,
  unseenIn,
  type ValuesOf,
} from "../../core/language/commonValues";
import { useFieldValues } from "./fieldValues";
import { FUNCTIONS } from "../../core/language/functions";
import "./condition.css";

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange" | "className">;

interface ConditionInputProps extends InputProps {
  value: string;
  stream: Stream | undefined;
  /** In a field that takes a name as well, only what stands behind `=` is completed. */
  onlyComputed?: boolean;
  take: (text: string) => void;
  "data-testid": string;
}

/** The fields that a stream declares or that were seen, with their types. */
function fieldsOf(stream: Stream | undefined): Fields {
  if (!stream) return {};
  const names = [...new Set([...Object.keys(stream.fields), ...stream.seen_fields])].sort();
  return Object.fromEntries(names.map((name) => [name, stream.fields[name] ? typeOf(stream, name) : ""]));
}

interface CompletionsProps {
  sample: StreamValues | null;
  id: string;
  options: readonly ConditionSuggestion[];
  chosen: number;
  accept: (suggestion: ConditionSuggestion) => void;
  testid: string;
}

function Completions({ sample, id, options, chosen, accept, testid }: CompletionsProps) {
  const help = options[chosen]?.kind === "function" ? FUNCTIONS[options[chosen].label]?.help : undefined;
  return (
    <span className="condition-list" data-testid={testid}>
      <span role="listbox" id={id} aria-label="Completions">
        {options.map((option, at) => (
          <span
            key={`${option.kind} ${option.label}`}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            title={option.kind === "function" ? FUNCTIONS[option.label]?.help : undefined}
            // The input keeps the focus: losing it closes the list.
            onMouseDown={(event) => {
              event.preventDefault();
              accept(option);
            }}
          >
            <b>{option.label}</b>
            <i className="faint">{option.detail}</i>
          </span>
        ))}
      </span>
      {help && <small className="faint condition-help">{help}</small>}
      {options[0]?.kind === "value" && <small className="faint condition-help">{formatSample(sample)}</small>}
    </span>
  );
}

interface Completing {
  value: string;
  fields: Fields;
  valuesOf: ValuesOf;
  isOn: boolean;
  take: (text: string) => void;
}

/** What is proposed at the cursor, which of it is chosen, and what the keys do with it. */
function useCompletion({ value, fields, valuesOf, isOn, take }: Completing) {
  const input = useRef<HTMLInputElement>(null);
  const select = useRef<readonly [number, number] | null>(null);
  const [at, setAt] = useState<{ place: number; asked: boolean; chosen: number } | null>(null);
  const before = at === null || !isOn ? null : value.slice(0, at.place);
  const suggestions =
    before === null ? null : suggestInCondition(before, fields, at?.asked ?? false, valuesOf);

  useLayoutEffect(() => {
    if (select.current !== null) input.current?.setSelectionRange(...select.current);
    select.current = null;
  });

  const show = (place: number | null, asked = false) =>
    setAt(place === null ? null : { place, asked, chosen: 0 });
  const accept = (suggestion: ConditionSuggestion | undefined) => {
    if (suggestions === null || at === null || suggestion === undefined) return;
    const filled = fillIn(value, suggestions.from, at.place, suggestion);
    select.current = filled.select;
    take(filled.text);
    show(filled.select[0]);
  };
  const press = ({ key, ctrlKey }: { key: string; ctrlKey: boolean }): boolean => {
    if (key === " " && ctrlKey) show(input.current?.selectionStart ?? null, true);
    else if (suggestions === null || at === null) return false;
    else if (key === "ArrowDown" || key === "ArrowUp") {
      const step = key === "ArrowDown" ? 1 : suggestions.options.length - 1;
      setAt({ ...at, chosen: (at.chosen + step) % suggestions.options.length });
    } else if (key === "Enter" || key === "Tab") accept(suggestions.options[at.chosen]);
    else if (key === "Escape") show(null);
    else return false;
    return true;
  };
  return {
    input,
    found: suggestions,
    chosen: at?.chosen ?? 0,
    around: before && findFunctionAround(before),
    show,
    accept,
    press,
  };
}

export function ConditionInput({ value, stream, onlyComputed, take, ...rest }: ConditionInputProps) {
  const list = useId();
  const isOn = !onlyComputed || value.trimStart().startsWith("=");
  const sample = useFieldValues(stream?.name);
  const valuesOf = (field: string) => commonValues(sample, field);
  const completing = { value, fields: fieldsOf(stream), valuesOf, isOn, take };
  const { input, found, chosen, around, ...help } = useCompletion(completing);
  const unseen = isOn && found === null ? formatUnseen(unseenIn(sample, value), sample) : null;
  const testid = rest["data-testid"];
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (!help.press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span className="condition">
      <input
        {...rest}
        ref={input}
        className="code"
        value={value}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={found !== null}
        aria-controls={list}
        aria-activedescendant={found === null ? undefined : `${list}-${chosen}`}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          take(event.target.value);
          help.show(event.target.selectionStart);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => help.show(null)}
      />
      {around && found === null && (
        <small className="faint condition-help" data-testid={`${testid}-help`}>
          <code>{around.signature}</code> {around.help}
        </small>
      )}
      {unseen !== null && (
        <small className="faint" data-testid={`${testid}-unseen`}>
          {unseen}
        </small>
      )}
      {found && (
        <Completions
          sample={sample}
          id={list}
          options={found.options}
          chosen={chosen}
          accept={help.accept}
          testid={`${testid}-completion`}
        />
      )}
    </span>
  );
}
