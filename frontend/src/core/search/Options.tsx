import { useEffect, useRef, type MouseEvent } from "react";
import { flattenSections, type Option, type Section } from "./options";

interface Props {
  id: string;
  sections: readonly Section[];
  active: string | null;
  activate: (id: string) => void;
  choose: (option: Option, elsewhere: boolean) => void;
  /** What the list is called; it is seen from its groups. */
  label?: string;
}

interface ItemProps extends Pick<Props, "activate" | "choose"> {
  id: string;
  option: Option;
  active: boolean;
}

function Inside({ option }: { option: Option }) {
  return (
    <>
      {option.tone !== null && <span className={`dot ${option.tone}`} aria-hidden="true" />}
      <span className={"say" in option ? "option-title code" : "option-title"}>{option.title}</span>
      {option.note !== "" && <span className="option-note faint">{option.note}</span>}
      {option.owner !== "" && <span className="option-owner faint">{option.owner}</span>}
    </>
  );
}

/** The keyboard stays in the field: what is active is told by it. */
function Item({ id, option, active, activate, choose }: ItemProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (active) place.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const shared = {
    id,
    role: "option",
    className: "option",
    "aria-selected": active,
    tabIndex: -1,
    "data-testid": `option-${option.id}`,
    onMouseMove: () => activate(option.id),
    onMouseDown: (event: MouseEvent) => event.button === 0 && event.preventDefault(),
  } as const;
  if ("href" in option)
    return (
      <a ref={place as React.RefObject<HTMLAnchorElement | null>} href={option.href} {...shared}>
        <Inside option={option} />
      </a>
    );
  return (
    <div
      ref={place as React.RefObject<HTMLDivElement | null>}
      {...shared}
      onClick={() => choose(option, false)}
    >
      <Inside option={option} />
    </div>
  );
}

/** The list below a field of a search, in groups. */
export function Options({ id, sections, active, activate, choose, label = "Found" }: Props) {
  const order = flattenSections(sections);
  return (
    <div
      id={`${id}-list`}
      className="search-options"
      role="listbox"
      aria-label={label}
      data-testid="search-options"
      hidden={order.length === 0}
    >
      {sections.map(({ title, options }) => (
        <div key={title} role="group" aria-label={title}>
          <p className="option-group" role="presentation" aria-hidden="true">
            {title}
          </p>
          {options.map((option) => (
            <Item
              key={option.id}
              id={`${id}-${order.indexOf(option)}`}
              option={option}
              active={option.id === active}
              activate={activate}
              choose={choose}
            />
          ))}
        </div>
      ))}
    </div>
  );
}
