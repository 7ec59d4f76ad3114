import { Check, type LucideIcon } from "lucide-react";
import type { KeyboardEvent, RefObject } from "react";
import "./menu.css";

export interface MenuItem {
  id: string;
  title: string;
  /** What it does, or why it cannot be done now. */
  hint?: string;
  icon?: LucideIcon;
  /** Which keys do the same. */
  keys?: string;
  disabled?: boolean;
  /** Whether this is chosen, of several of which one is. */
  checked?: boolean;
  /** What is lost by it. */
  danger?: boolean;
  act: () => void;
}

/** Groups of items with a line between them. */
export type MenuGroups = readonly (readonly MenuItem[])[];

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not(:disabled)') ?? [])];
}

function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const all = itemsOf(event.currentTarget);
  const at = all.indexOf(document.activeElement as HTMLElement);
  const step = STEPS[event.key];
  const next =
    step !== undefined
      ? (at + step + all.length) % all.length
      : event.key === "Home"
        ? 0
        : event.key === "End"
          ? all.length - 1
          : null;
  if (next === null) return;
  event.preventDefault();
  all[next]?.focus();
}

interface ItemProps {
  item: MenuItem;
  close: () => void;
}

function Item({ item, close }: ItemProps) {
  const Picture = item.checked ? Check : item.icon;
  const act = () => {
    close();
    item.act();
  };
  return (
    <button
      type="button"
      role={item.checked === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={item.checked}
      className={item.danger ? "danger" : undefined}
      data-testid={item.id}
      disabled={item.disabled}
      onClick={act}
    >
      <span className="menu-icon">{Picture && <Picture size={16} />}</span>
      <span className="menu-words">
        {item.title}
        {item.hint && <span className="faint">{item.hint}</span>}
      </span>
      {item.keys && <kbd aria-hidden="true">{item.keys}</kbd>}
    </button>
  );
}

interface ListProps {
  id: string;
  title: string;
  groups: MenuGroups;
  /** What is said above the items. */
  about?: string | undefined;
  /** Where it stands on the page; else where its button puts it. */
  at?: { left: number; top: number } | undefined;
  ref: RefObject<HTMLDivElement | null>;
  close: () => void;
}

/** The things to do of a menu; arrows, Home and End go through them, Escape closes it. */
export function MenuList({ id, title, about, groups, at, ref, close }: ListProps) {
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") close();
    else onArrow(event);
  };
  return (
    <div
      ref={ref}
      id={id}
      className="menu-list"
      role="menu"
      aria-label={title}
      style={at && { position: "fixed", ...at }}
      onKeyDown={onKey}
    >
      {about !== undefined && (
        <p className="menu-about faint" role="presentation">
          {about}
        </p>
      )}
      {groups.map((group, i) => (
        <div key={i} role="group" className="menu-group">
          {group.map((item) => (
            <Item key={item.id} item={item} close={close} />
          ))}
        </div>
      ))}
    </div>
  );
}
