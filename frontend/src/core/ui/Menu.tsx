import { ChevronDown } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { itemsOf, MenuList, type MenuGroups } from "./MenuList";

export type { MenuItem } from "./MenuList";

interface Props {
  title: string;
  groups: MenuGroups;
  testid: string;
  /** What is said above the items. */
  about?: string;
}

/** A button that opens a list of things to do; arrows, Home and End go through it, Escape closes it. */
export function Menu({ title, about, groups, testid }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    itemsOf(list.current)[0]?.focus();
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
        <ChevronDown className="menu-arrow" size={14} />
      </button>
      {open && <MenuList id={id} title={title} about={about} groups={groups} ref={list} close={close} />}
    </div>
  );
}
