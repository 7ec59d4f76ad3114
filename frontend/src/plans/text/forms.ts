/** A plan as text: the server reads and writes it, for it knows the language. */
import { api } from "../../core/api/client";
import { drawnIn, get } from "../editor/store";
import type { Form } from "./session";

export const textForm: Form = {
  write: async (document) => (await api.textOf(document)).text ?? "",
  read: (text) => api.readText(text, drawnIn(get())),
};
