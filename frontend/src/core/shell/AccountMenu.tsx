import {
  Globe,
  HardDrive,
  KeyRound,
  LockKeyhole,
  LogOut,
  Monitor,
  Moon,
  Palette,
  Sun,
  Users,
  X,
  type LucideIcon,
} from "lucide-react";
import { lazy, Suspense, useRef, useState, type FormEvent } from "react";
import { api, readCookie, describeError } from "../api/client";
import type { Me } from "../api/types";
import type { MenuItem } from "../ui/MenuList";
import { readBrowserZone, setZone, spellZone, useChoice } from "../time/zone";
import { setTheme, useTheme, type Theme } from "../ui/theme";
import { Failure } from "../ui/Failure";
import { Menu } from "../ui/Menu";

/** Logging in on another page renews the token of all pages: it is read when it is needed. */
function renew({ currentTarget: form }: FormEvent<HTMLFormElement>): void {
  const token = form.elements.namedItem("csrfmiddlewaretoken");
  if (token instanceof HTMLInputElement) token.value = readCookie("csrftoken");
}

const THEMES: readonly [theme: Theme, title: string, icon: LucideIcon][] = [
  ["system", "Follow the system", Monitor],
  ["light", "Light", Sun],
  ["dark", "Dark", Moon],
];

/** The page changes at once, and back where the server does not save the choice. */
function useChoices() {
  const [failure, setFailure] = useState<string | null>(null);
  const save = (what: string, choice: Parameters<typeof api.choosePage>[0], undo: () => void) =>
    api.choosePage(choice).then(
      () => setFailure(null),
      (error: unknown) => {
        undo();
        setFailure(`${what} not saved. ${describeError(error)}`);
      },
    );
  return { save, failure, dismiss: () => setFailure(null) };
}

type Save = ReturnType<typeof useChoices>["save"];

function useThemes(save: Save): MenuItem[] {
  const chosen = useTheme();
  const choose = (theme: Theme) => {
    setTheme(theme);
    void save("Theme", { theme }, () => setTheme(chosen));
  };
  return THEMES.map(([theme, title, icon]) => ({
    id: `theme-${theme}`,
    title,
    icon,
    checked: theme === chosen,
    act: () => choose(theme),
  }));
}

const ZoneDialog = lazy(() => import("./ZoneDialog"));

/** The browser's zone and UTC at one click, any other through a dialog. */
function useZones(save: Save) {
  const [choosing, setChoosing] = useState(false);
  const chosen = useChoice();
  const choose = (zone: string) => {
    setZone(zone);
    void save("Time zone", { zone }, () => setZone(chosen));
  };
  const item = (id: string, title: string, zone: string, hint?: string): MenuItem => ({
    id,
    title,
    icon: Globe,
    checked: zone === chosen,
    ...(hint === undefined ? {} : { hint }),
    act: () => choose(zone),
  });
  const isOther = chosen !== "" && chosen !== "UTC";
  const items = [
    item("zone-browser", "Time zone of the browser", "", spellZone(readBrowserZone())),
    item("zone-utc", "UTC", "UTC"),
    ...(isOther ? [item("zone-chosen", spellZone(chosen), chosen)] : []),
    { id: "zone-other", title: "Other time zone…", icon: Globe, act: () => setChoosing(true) },
  ];
  const dialog = choosing && (
    <Suspense fallback={null}>
      <ZoneDialog close={() => setChoosing(false)} choose={choose} />
    </Suspense>
  );
  return { items, dialog };
}

/** The pages of a person, and those of the administrators. */
function pageGroups(me: Me): MenuItem[][] {
  const people = {
    id: "account-people",
    title: "People",
    icon: Users,
    hint: "Users, roles and teams",
    act: () => window.location.assign("/people/"),
  };
  const looks = {
    id: "account-looks",
    title: "Design system",
    icon: Palette,
    act: () => window.location.assign("/looks/"),
  };
  return [
    ...(me.role === "admin" ? [[people]] : []),
    [
      {
        id: "account-tokens",
        title: "Tokens",
        icon: KeyRound,
        hint: "For programs that call the API",
        act: () => window.location.assign("/tokens/"),
      },
      {
        id: "account-password",
        title: "Password",
        icon: LockKeyhole,
        act: () => window.location.assign("/password/"),
      },
      {
        id: "account-storage",
        title: "Storage",
        icon: HardDrive,
        hint: "Sizes, reasons and until when",
        act: () => window.location.assign("/storage/"),
      },
      ...(me.is_staff ? [looks] : []),
    ],
  ];
}

/** Under one's name: who one is here, one's tokens and password, and the way out. */
export function AccountMenu({ me }: { me: Me }) {
  const form = useRef<HTMLFormElement>(null);
  const { save, failure, dismiss } = useChoices();
  const themes = useThemes(save);
  const zones = useZones(save);
  const teams = me.teams.length === 0 ? "" : `, in ${me.teams.join(", ")}`;
  const groups = [
    ...pageGroups(me),
    themes,
    zones.items,
    [{ id: "log-out", title: "Log out", icon: LogOut, act: () => form.current?.requestSubmit() }],
  ];
  return (
    <div className="account">
      <form ref={form} method="post" action="/logout/" hidden onSubmit={renew}>
        <input type="hidden" name="csrfmiddlewaretoken" />
      </form>
      <Menu title={me.username} about={`${me.role}${teams}`} groups={groups} testid="account" />
      {zones.dialog}
      {failure !== null && (
        <div className="account-failure card">
          <Failure words={failure} testid="choice-failure" />
          <button type="button" className="quiet" aria-label="Dismiss" onClick={dismiss}>
            <X size={16} />
          </button>
        </div>
      )}
    </div>
  );
}
