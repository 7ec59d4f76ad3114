import { useId, useRef, useState, type KeyboardEvent } from "react";
import { ComboField } from "./ComboField";
import type { Kind } from "./language";
import { Options } from "./Options";
import { flattenSections, moved, sectionsOf, type Option } from "./options";
import type { Wrong } from "./problems";
import { Problems } from "./Problems";
import type { Query } from "./useQuery";
import { useProposals } from "./useProposals";
import { useTypedText } from "./useTypedText";

interface Props {
  label: string;
  kind: Kind;
  query: Query;
  /** What of it cannot be understood. */
  wrong: readonly Wrong[] | null;
}

/** Where a list is searched: the words of the language are proposed while somebody types. */
export function QueryField({ label, kind, query, wrong }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpen] = useState(false);
  const typed = useTypedText(query.text, query);
  const { text, caret, active, activate } = typed;
  const proposals = useProposals(text, open ? caret : null, [kind]);
  const sections = sectionsOf({ text, proposals, groups: null });
  const options = flattenSections(sections);
  const at = options.findIndex((one) => one.id === active);
  const choose = (option: Option) => {
    if ("say" in option) typed.take(option.say, input.current);
  };
  const onKey = (event: KeyboardEvent) => {
    const chosen = options[at];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      setOpen(true);
      activate(moved(options, active, event.key === "ArrowDown" ? 1 : -1));
    } else if ((event.key === "Enter" || event.key === "Tab") && chosen) choose(chosen);
    else if (event.key === "Enter") {
      query.set(text, true);
      setOpen(false);
    } else if (event.key === "Escape" && options.length > 0) setOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div className="query">
      <ComboField
        id={id}
        label={label}
        ref={input}
        options={options}
        at={at}
        wrong={wrong !== null}
        placeholder="Filter by name, owner:me, is:running…"
        data-testid="list-search"
        onKeyDown={onKey}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        {...typed.props}
        onChange={(event) => {
          setOpen(true);
          typed.props.onChange(event);
        }}
      />
      <Options
        id={id}
        sections={sections}
        active={active}
        activate={activate}
        choose={choose}
        label="Proposed"
      />
      {wrong !== null && !(open && options.length > 0) && <Problems id={`${id}-wrong`} wrong={wrong} />}
    </div>
  );
}
