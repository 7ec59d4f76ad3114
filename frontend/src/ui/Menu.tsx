import { useEffect, useId, useRef, useState, type KeyboardEvent, type RefObject } from "react";

export interface MenuItem {
  id: string;
  title: string;
  /** What it does, or why it cannot be done now. */
  hint?: string;
  disabled?: boolean;
  act: () => void;
}

interface Props {
  title: string;
  /** Groups of items with a line between them. */
  groups: readonly (readonly MenuItem[])[];
  testid: string;
  /** What is said above the items. */
  about?: string;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

function items(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)') ?? [])];
}

function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const all = items(event.currentTarget);
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

interface ListProps extends Pick<Props, "title" | "groups" | "about"> {
  id: string;
  ref: RefObject<HTMLDivElement | null>;
  close: () => void;
}

function MenuList({ id, title, about, groups, ref, close }: ListProps) {
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") close();
    else onArrow(event);
  };
  return (
    <div ref={ref} id={id} className="menu-list" role="menu" aria-label={title} onKeyDown={onKey}>
      {about !== undefined && (
        <p className="menu-about faint" role="presentation">
          {about}
        </p>
      )}
      {groups.map((group, i) => (
        <div key={i} role="group" className="menu-group">
          {group.map((item) => (
            <button
              key={item.id}
              type="button"
              role="menuitem"
              data-testid={item.id}
              disabled={item.disabled}
              onClick={() => {
                close();
                item.act();
              }}
            >
              {item.title}
              {item.hint && <span className="faint">{item.hint}</span>}
            </button>
          ))}
        </div>
      ))}
    </div>
  );
}

/** A button that opens a list of things to do; arrows, Home and End go through it, Escape closes it. */
export function Menu({ title, about, groups, testid }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    items(list.current)[0]?.focus();
    const leave = (event: PointerEvent) => {
      const at = event.target as Node;
      if (!list.current?.contains(at) && !button.current?.contains(at)) setOpen(false);
    };
    window.addEventListener("pointerdown", leave, true);
    return () => window.removeEventListener("pointerdown", leave, true);
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    setOpen(true);
  };
  return (
    <div className="menu">
      <button
        ref={button}
        type="button"
        data-testid={testid}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        onKeyDown={onKey}
      >
        {title}
        <span className="menu-arrow" aria-hidden="true">
          ▾
        </span>
      </button>
      {open && <MenuList id={id} title={title} about={about} groups={groups} ref={list} close={close} />}
    </div>
  );
}
