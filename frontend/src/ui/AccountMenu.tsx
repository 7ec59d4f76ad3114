import { useRef, type FormEvent } from "react";
import { cookie } from "../api/client";
import type { Me } from "../api/types";
import "../styles/menu.css";
import { Menu } from "./Menu";

/** Logging in on another page renews the token of all pages: it is read when it is needed. */
function renew({ currentTarget: form }: FormEvent<HTMLFormElement>): void {
  const token = form.elements.namedItem("csrfmiddlewaretoken");
  if (token instanceof HTMLInputElement) token.value = cookie("csrftoken");
}

/** Under one's name: who one is here, one's tokens and password, and the way out. */
export function AccountMenu({ me }: { me: Me }) {
  const form = useRef<HTMLFormElement>(null);
  const people = {
    id: "account-people",
    title: "People",
    hint: "Who may do what, and teams",
    act: () => window.location.assign("/people/"),
  };
  const teams = me.teams.length === 0 ? "" : `, in ${me.teams.join(", ")}`;
  const groups = [
    ...(me.role === "admin" ? [[people]] : []),
    [
      {
        id: "account-tokens",
        title: "Tokens",
        hint: "For programs that call the API",
        act: () => window.location.assign("/tokens/"),
      },
      { id: "account-password", title: "Password", act: () => window.location.assign("/password/") },
    ],
    [{ id: "log-out", title: "Log out", act: () => form.current?.requestSubmit() }],
  ];
  return (
    <div className="account">
      <form ref={form} method="post" action="/logout/" hidden onSubmit={renew}>
        <input type="hidden" name="csrfmiddlewaretoken" />
      </form>
      <Menu title={me.username} about={`${me.role}${teams}`} groups={groups} testid="account" />
    </div>
  );
}
