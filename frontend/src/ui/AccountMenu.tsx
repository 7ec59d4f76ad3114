import { useRef } from "react";
import { cookie } from "../api/client";
import "../styles/menu.css";
import { Menu } from "./Menu";

/** Under one's name: one's tokens, and the way out. */
export function AccountMenu({ name }: { name: string }) {
  const form = useRef<HTMLFormElement>(null);
  const groups = [
    [
      {
        id: "account-tokens",
        title: "Tokens",
        hint: "For programs that call the API",
        act: () => window.location.assign("/tokens/"),
      },
    ],
    [{ id: "log-out", title: "Log out", act: () => form.current?.requestSubmit() }],
  ];
  return (
    <div className="account">
      <form ref={form} method="post" action="/logout/" hidden>
        <input type="hidden" name="csrfmiddlewaretoken" value={cookie("csrftoken")} />
      </form>
      <Menu title={name} groups={groups} testid="account" />
    </div>
  );
}
