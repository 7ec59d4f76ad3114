import { ExternalLink, FolderOpen, Link, Trash2 } from "lucide-react";
import type { MenuGroups, MenuItem } from "./MenuList";

/** What a menu has for everything that has a page of its own. */
function linkItems(address: string): MenuItem[] {
  return [
    { id: "menu-open", title: "Open", icon: FolderOpen, act: () => window.location.assign(address) },
    {
      id: "menu-open-tab",
      title: "Open in a new tab",
      icon: ExternalLink,
      act: () => window.open(address, "_blank", "noopener"),
    },
    {
      id: "menu-copy-link",
      title: "Copy link",
      icon: Link,
      act: () => void navigator.clipboard.writeText(new URL(address, window.location.href).href),
    },
  ];
}

/** The menu of a row of a list; without `remove` it is not one's own to delete. */
export function rowGroups(address: string, remove?: () => void): MenuGroups {
  const links = linkItems(address);
  if (!remove) return [links];
  return [links, [{ id: "menu-delete", title: "Delete…", icon: Trash2, danger: true, act: remove }]];
}
