import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import "./search.css";
import "./choose.css";
import { describeMatches, selectDefaultChoice, sectionsFor, type Choices } from "./choices";
import { Failure } from "../ui/Failure";
import { ComboField } from "./ComboField";
import { FIELDS, termAt, type Kind } from "./language";
import { Options } from "./Options";
import { flattenSections, moved, type Choice, type Option } from "./options";
import { describeOtherError, wrongOf } from "./problems";
import { Problems } from "./Problems";
import { isUnfinished } from "./proposals";
import { useLatestAnswer } from "./useLatestAnswer";
import { useProposals } from "./useProposals";
import { useTypedText } from "./useTypedText";

interface Props {
  label: string;
  testid: string;
  /** What they are: plans. */
  what: string;
  /** Which of them alone are searched: that you may change. */
  those?: string;
  /** The name of what is chosen; empty: nothing is. */
  value: string;
  /** The words of whose language are proposed; null: only names are searched. */
  kind: Kind | null;
  /** What fits a text; it does not change. */
  find: (text: string, signal: AbortSignal) => Promise<Choices>;
  /** What may be chosen whatever was found for the text. */
  beside?: (text: string) => readonly Choice[];
  choose: (choice: Choice) => void;
}

const EDGE = 8;
const HIGH = 320;
const WIDE = 360;

interface Box {
  left: number;
  width: number;
  top?: number;
  bottom?: number;
  maxHeight: number;
}

/** Below the field, or above where there is more room; over whatever is there, also over the edge of a dialog. */
function boxBeside(field: DOMRect): Box {
  const [above, below] = [field.top - EDGE, window.innerHeight - field.bottom - EDGE];
  const width = Math.min(Math.max(field.width, WIDE), window.innerWidth - 2 * EDGE);
  const left = Math.max(EDGE, Math.min(field.left, window.innerWidth - EDGE - width));
  if (below >= Math.min(HIGH, above))
    return { left, width, top: field.bottom + 4, maxHeight: Math.min(HIGH, below - 4) };
  return { left, width, bottom: window.innerHeight - field.top + 4, maxHeight: Math.min(HIGH, above - 4) };
}

function useBox(open: boolean, input: React.RefObject<HTMLInputElement | null>): Box | null {
  const [box, setBox] = useState<Box | null>(null);
  useLayoutEffect(() => {
    if (!open) return;
    const look = () => input.current && setBox(boxBeside(input.current.getBoundingClientRect()));
    look();
    window.addEventListener("resize", look);
    window.addEventListener("scroll", look, true);
    return () => {
      window.removeEventListener("resize", look);
      window.removeEventListener("scroll", look, true);
    };
  }, [open, input]);
  return box;
}

/** What is typed, and what it finds. */
function useChoices({ what, those = "", kind, find, beside }: Props, open: boolean) {
  const typed = useTypedText("");
  const { text, caret } = typed;
  const asked = text.trim();
  const waits = !open || (kind !== null && isUnfinished(text, caret));
  const { question, answer, error, busy } = useLatestAnswer<string, Choices>(waits ? null : asked, find);
  const proposed = useProposals(
    text,
    open && kind !== null && asked !== "" ? caret : null,
    kind ? [kind] : [],
  );
  const inField = proposed.length > 0 && FIELDS.some(({ name }) => name === termAt(text, caret).field);
  const wrong = question === asked && !inField ? wrongOf(asked, error) : null;
  const failure = question === asked ? describeOtherError(asked, error) : null;
  const sections = sectionsFor({
    what,
    text: question ?? "",
    proposals: proposed,
    found: answer,
    beside: beside?.(asked) ?? [],
  });
  const options = flattenSections(sections);
  const fresh = question === asked && !busy;
  const first = (fresh && asked !== "") || inField ? selectDefaultChoice(options, inField) : null;
  const active = options.some((option) => option.id === typed.active) ? typed.active : first;
  const said = (wrong ?? failure) !== null ? "" : describeMatches(what, those, asked, fresh ? answer : null);
  return { typed, sections, options, active, fresh, wrong, failure, said };
}

interface ListProps {
  id: string;
  testid: string;
  label: string;
  box: Box;
  offered: ReturnType<typeof useChoices>;
  take: (option: Option) => void;
}

/** What may be chosen, what is wrong, and how much there is. */
function List({ id, testid, label, box, offered, take }: ListProps) {
  const { sections, active, typed, wrong, failure, said } = offered;
  return (
    <div className="choose-list" style={box} data-testid={`${testid}-list`}>
      {wrong !== null && <Problems id={`${id}-wrong`} wrong={wrong} />}
      <Failure words={failure} />
      <Options
        id={id}
        sections={sections}
        active={active}
        activate={typed.activate}
        choose={take}
        label={label}
      />
      {said !== "" && (
        <p className="faint choose-said" aria-hidden="true">
          {said}
        </p>
      )}
    </div>
  );
}

/** Opened and closed, and by which keys. */
function useChoosing(props: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  const offered = useChoices(props, open);
  const { typed, options, active, fresh } = offered;
  useLayoutEffect(() => {
    // Whoever goes on typing names another.
    if (!open && document.activeElement === input.current) input.current?.select();
  }, [open, props.value]);
  const begin = () => {
    if (open) return;
    typed.put("", 0, null);
    setOpen(true);
  };
  const take = (option: Option) => {
    if ("say" in option) return typed.take(option.say, input.current);
    if ("text" in option) return typed.put(option.text, option.text.length, input.current);
    if (!("pick" in option)) return;
    setOpen(false);
    props.choose(option.pick);
  };
  /** Enter was pressed before the answer was there: it means the first of it. */
  const early = useRef<string | null>(null);
  useEffect(() => {
    if (!fresh || early.current === null) return;
    const first = options.find((one) => one.id === active);
    if (open && early.current === typed.text && first) take(first);
    early.current = null;
  });
  const onKey = (event: KeyboardEvent) => {
    const chosen = options.find((one) => one.id === active);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      begin();
      typed.activate(moved(options, active, event.key === "ArrowDown" ? 1 : -1));
    } else if (!open || event.nativeEvent.isComposing) return;
    else if (event.key === "Enter") {
      if (chosen && (fresh || typed.active !== null || "say" in chosen)) take(chosen);
      else if (!fresh) early.current = typed.text;
    } else if (event.key === "Escape") {
      event.stopPropagation();
      setOpen(false);
    } else return;
    event.preventDefault();
  };
  return { input, open, setOpen, begin, take, onKey, offered };
}

/** A field that names one thing: whoever types searches for another on the server. */
export function ChooseField(props: Props) {
  const { label, testid, what, value } = props;
  const id = useId();
  const { input, open, setOpen, begin, take, onKey, offered } = useChoosing(props);
  const { typed, options, active, wrong } = offered;
  const box = useBox(open, input);
  return (
    <div className="field choose-field">
      <label htmlFor={`${id}-input`}>{label}</label>
      <ComboField
        id={id}
        inputId={`${id}-input`}
        label={label}
        ref={input}
        options={open ? options : []}
        at={open ? options.findIndex((option) => option.id === active) : -1}
        wrong={open && wrong !== null}
        placeholder={value === "" ? `Search ${what}` : value}
        data-testid={testid}
        {...typed.props}
        value={open ? typed.text : value}
        onKeyDown={onKey}
        onFocus={(event) => event.target.select()}
        onClick={begin}
        onBlur={() => setOpen(false)}
        onChange={(event) => {
          setOpen(true);
          typed.props.onChange(event);
        }}
      />
      {/* There before it says anything: what is mounted together with its words is told to nobody. */}
      <p className="visually-hidden" role="status">
        {open ? offered.said : ""}
      </p>
      {open && box && <List id={id} testid={testid} label={label} box={box} offered={offered} take={take} />}
    </div>
  );
}
