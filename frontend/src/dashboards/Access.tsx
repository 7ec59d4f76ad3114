import { Download, Globe } from "lucide-react";
import { useState } from "react";
import { api } from "../core/api/client";
import { thingItems } from "../core/sharing/menu";
import { ownerRefusal, type SharedThing } from "../core/sharing/thing";
import { ThingDialogs, type ThingDialog } from "../core/sharing/ThingDialogs";
import { Menu, type MenuItem } from "../core/ui/Menu";
import { exportBoard } from "./exporting";
import { PublicLinksDialog } from "./PublicLinksDialog";
import { set, useBoard } from "./store";

const EXPORT: MenuItem = {
  id: "export-board",
  title: "Export as JSON",
  hint: "Its charts and settings, as shown",
  icon: Download,
  act: exportBoard,
};

/** Links for those who cannot log in; who may not make any is told why. */
function linksItem(thing: SharedThing, isAllowed: boolean, open: (isOpen: boolean) => void): MenuItem {
  const refusal = isAllowed
    ? ownerRefusal(thing)
    : "Off here; an administrator allows them with TIMELINE_PUBLIC_LINKS=1";
  return {
    id: "public-links",
    title: "Public links…",
    hint: refusal ?? "Show it without a login",
    icon: Globe,
    disabled: refusal !== null,
    act: () => open(true),
  };
}

/** Who may see the dashboard, whose it is, and who did what to it. */
export function Access() {
  const board = useBoard((state) => state.board);
  const isAllowed = useBoard((state) => state.me?.public_links ?? false);
  const [asked, setAsked] = useState<ThingDialog | null>(null);
  const [isLinking, setLinking] = useState(false);
  if (!board) return null;
  const { id, name, owner, rights } = board;
  const thing: SharedThing = { kind: "dashboard", name, owner, rights, path: `/api/dashboards/${id}/` };
  const look = async () => {
    const found = await api.dashboard(id, null).catch(() => null);
    if (found)
      set({ board: { ...board, owner: found.owner, owner_kind: found.owner_kind, rights: found.rights } });
  };
  return (
    <>
      <Menu
        title="Access"
        testid="board-menu"
        groups={[thingItems(thing, setAsked), [linksItem(thing, isAllowed, setLinking), EXPORT]]}
      />
      {isLinking && <PublicLinksDialog board={id} close={() => setLinking(false)} />}
      <ThingDialogs
        thing={thing}
        owner_kind={board.owner_kind}
        asked={asked}
        close={() => setAsked(null)}
        changed={() => void look()}
      />
    </>
  );
}
