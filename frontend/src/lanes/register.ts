/** The page's one memory of which value has which colour. */
import { LIGHT, Register } from "./colours";

export const register = new Register(
  LIGHT.values.length,
  typeof window === "undefined" ? null : window.localStorage,
);
