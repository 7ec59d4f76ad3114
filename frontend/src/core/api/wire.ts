/** The types of the REST API, made from its description by `make types`, and more closely where that leaves them open. */
import type { components } from "./schema";

type Schemas = components["schemas"];

/** A wire type; `More` says what a part is that the description leaves open, such as a document. */
export type Wire<Name extends keyof Schemas, More = unknown> = Omit<Schemas[Name], keyof More> & More;
