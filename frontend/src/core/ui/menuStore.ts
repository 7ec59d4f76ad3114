/** The one menu that stands free on the page: opened by a right click, or by a ⋯ button. */
import { create } from "zustand";
import type { MenuGroups } from "./MenuList";

export interface OpenMenu {
  title: string;
  groups: MenuGroups;
  x: number;
  y: number;
  /** Has the focus again when the menu closes. */
  from: HTMLElement | null;
}

interface MenuState {
  menu: OpenMenu | null;
}

export const useMenu = create<MenuState>(() => ({ menu: null }));

export const openMenu = (menu: OpenMenu): void => useMenu.setState({ menu });

/** Nothing is done with what has it no more: whoever opened the menu has the focus again. */
export function closeMenu(): void {
  useMenu.getState().menu?.from?.focus();
  useMenu.setState({ menu: null });
}

const EDGE = 8;

/** Where a menu of this size stands whole inside a page of that size, at best with its corner at the point. */
export function placeMenu(
  { x, y }: { x: number; y: number },
  size: { width: number; height: number },
  page: { width: number; height: number },
): { left: number; top: number } {
  const left = Math.min(x, page.width - size.width - EDGE);
  const top = Math.min(y, page.height - size.height - EDGE);
  return { left: Math.max(EDGE, left), top: Math.max(EDGE, top) };
}
