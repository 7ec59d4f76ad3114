/** The wire types of the REST resources and of the WebSocket. Times are integer microseconds (UTC). */
export type * from "./document";
export type * from "./live";
export type * from "./nodes";
export type * from "./operators";
export type * from "./points";
export type * from "./timelines";
export type * from "./why";
