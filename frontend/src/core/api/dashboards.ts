/** The wire types of dashboards. */
import type { Wire } from "./wire";

export type ChartType = Wire<"Chart">["type"];
export type Change = NonNullable<Wire<"Chart">["change"]>;
export type Place = [x: number, y: number, width: number, height: number];
export type Order = NonNullable<Wire<"Chart">["order"]>;
export type Sort = NonNullable<Wire<"Chart">["sort"]>;
export type SourceRef = Wire<"ChartSourceRequest">;
/** What the target needs not is not there. */
export type ChartLink = Wire<"ChartLinkRequest", { title?: string; address?: string }>;
export type ChartDraft = Wire<
  "PinRequest",
  { plan: number; node: string; place: Place; key: string | null; link?: ChartLink | null }
>;
export type Chart = ChartDraft & { id: string };
export type BoardDocument = Wire<"DashboardDocument", { charts: Chart[] }>;
export type Board = Wire<"Dashboard", { document: BoardDocument }>;
export type BoardSummary = Wire<"DashboardSummary">;
export type BoardVersion = Wire<"DashboardVersion">;
export type Source = Wire<"FoundSource">;
/** A dashboard as a public link shows it. */
export type PublicBoard = Wire<"PublicDashboard", { document: BoardDocument }>;
export type PublicLink = Wire<"PublicLink">;
/** One that was just made: its address is shown once. */
export type MadePublicLink = Wire<"MadePublicLink">;
