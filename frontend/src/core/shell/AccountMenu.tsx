import {
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
import { useRef, useState, type FormEvent } from "react";
import { api, cookie, inWords } from "../api/client";
import type { Me } from "../api/types";
import type { MenuItem } from "../ui/MenuList";
import { setTheme, useTheme, type Theme } from "../ui/theme";
import { Failure } from "../ui/Failure";
import { Menu } from "../ui/Menu";

/** Logging in on another page renews the token of all pages: it is read when it is needed. */
function renew({ currentTarget: form }: FormEvent<HTMLFormElement>): void {
  const token = form.elements.namedItem("csrfmiddlewaretoken");
  if (token instanceof HTMLInputElement) token.value = cookie("csrftoken");
}

const THEMES: readonly [theme: Theme, title: string, icon: LucideIcon][] = [
  ["system", "Follow the system", Monitor],
  ["light", "Light", Sun],
  ["dark", "Dark", Moon],
];

/** The page changes at once, and back where the server does not save the choice. */
function useThemes(): { items: MenuItem[]; failure: string | null; dismiss: () => void } {
  const chosen = useTheme();
  const [failure, setFailure] = useState<string | null>(null);
  const choose = (theme: Theme) => {
    setTheme(theme);
    api.chooseTheme(theme).then(
      () => setFailure(null),
      (error: unknown) => {
        setTheme(chosen);
        setFailure(inWords(error));
      },
    );
  };
  const items = THEMES.map(([theme, title, icon]) => ({
    id: `theme-${theme}`,
    title,
    icon,
    checked: theme === chosen,
    act: () => choose(theme),
  }));
  return { items, failure, dismiss: () => setFailure(null) };
}

/** Under one's name: who one is here, one's tokens and password, and the way out. */
export function AccountMenu({ me }: { me: Me }) {
  const form = useRef<HTMLFormElement>(null);
  const themes = useThemes();
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
  const teams = me.teams.length === 0 ? "" : `, in ${me.teams.join(", ")}`;
  const groups = [
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
      ...(me.is_staff ? [looks] : []),
    ],
    themes.items,
    [{ id: "log-out", title: "Log out", icon: LogOut, act: () => form.current?.requestSubmit() }],
  ];
  return (
    <div className="account">
      <form ref={form} method="post" action="/logout/" hidden onSubmit={renew}>
        <input type="hidden" name="csrfmiddlewaretoken" />
      </form>
      <Menu title={me.username} about={`${me.role}${teams}`} groups={groups} testid="account" />
      {themes.failure !== null && (
        <div className="account-failure card">
          <Failure words={`Theme not saved. ${themes.failure}`} testid="theme-failure" />
          <button type="button" className="quiet" aria-label="Dismiss" onClick={themes.dismiss}>
            <X size={16} />
          </button>
        </div>
      )}
    </div>
  );
}
