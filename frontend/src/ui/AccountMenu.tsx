import { useRef, type FormEvent } from "react";
import { cookie } from "../api/client";
import "../styles/menu.css";
import { Menu } from "./Menu";

/** Logging in on another page renews the token of all pages: it is read when it is needed. */
function renew({ currentTarget: form }: FormEvent<HTMLFormElement>): void {
  const token = form.elements.namedItem("csrfmiddlewaretoken");
  if (token instanceof HTMLInputElement) token.value = cookie("csrftoken");
}

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
      <form ref={form} method="post" action="/logout/" hidden onSubmit={renew}>
        <input type="hidden" name="csrfmiddlewaretoken" />
      </form>
      <Menu title={name} groups={groups} testid="account" />
    </div>
  );
}
