import { Ellipsis } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useRef, useState, type MouseEvent } from "react";
import { itemsOf, MenuList, type MenuGroups } from "./MenuList";
import { closeMenu, openMenu, placeMenu, useMenu, type OpenMenu } from "./menuStore";

interface MenuContents {
  title: string;
  groups: MenuGroups;
}

/** A right click, of React or of the browser. */
export type Click = Pick<MouseEvent, "shiftKey" | "clientX" | "clientY" | "preventDefault">;

/** Opens a menu at the mouse; Shift leaves the browser its own. */
export function onMenu({ title, groups }: MenuContents): (event: Click) => void {
  return (event) => {
    if (event.shiftKey || groups.every((group) => group.length === 0)) return;
    event.preventDefault();
    const from = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    openMenu({ title, groups, x: event.clientX, y: event.clientY, from });
  };
}

/** Opens the same menu that a right click opens on the thing beside it. */
export function MoreButton({ title, groups }: MenuContents) {
  const shown = useMenu((state) => state.menu?.title === title);
  const open = ({ currentTarget: from }: MouseEvent<HTMLButtonElement>) => {
    const { left, bottom } = from.getBoundingClientRect();
    openMenu({ title, groups, x: left, y: bottom + 4, from });
  };
  return (
    <button
      type="button"
      className="quiet more"
      aria-label={title}
      aria-haspopup="menu"
      aria-expanded={shown}
      title={title}
      onClick={open}
    >
      <Ellipsis size={16} />
    </button>
  );
}

function FreeMenu({ menu }: { menu: OpenMenu }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ left: menu.x, top: menu.y });
  useLayoutEffect(() => {
    if (!list.current) return;
    const page = { width: window.innerWidth, height: window.innerHeight };
    setAt(placeMenu(menu, list.current.getBoundingClientRect(), page));
    itemsOf(list.current)[0]?.focus();
  }, [menu]);
  useEffect(() => {
    const leave = (event: Event) => {
      if (!list.current?.contains(event.target as Node)) closeMenu();
    };
    window.addEventListener("pointerdown", leave, true);
    window.addEventListener("wheel", leave, true);
    return () => {
      window.removeEventListener("pointerdown", leave, true);
      window.removeEventListener("wheel", leave, true);
    };
  }, []);
  return <MenuList id={id} title={menu.title} groups={menu.groups} at={at} ref={list} close={closeMenu} />;
}

/** Where a free menu is drawn: outside of all that scrolls or is scaled. */
export function MenuHost() {
  const menu = useMenu((state) => state.menu);
  return menu && <FreeMenu key={`${menu.title} ${menu.x} ${menu.y}`} menu={menu} />;
}
