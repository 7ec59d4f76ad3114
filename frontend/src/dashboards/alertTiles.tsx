/** Charts of incidents. The app registers them: dashboards import no other feature. */
import type { ComponentType } from "react";
import type { ChartDraft, ChartType } from "../core/api/dashboards";
import { documentOf, useBoard } from "./store";

export interface TileProps {
  chart: ChartDraft;
  /** The range of time that the dashboard shows. */
  range: string;
}

type Tiles = Readonly<Partial<Record<ChartType, ComponentType<TileProps>>>>;

let tiles: Tiles = {};

/** Before a dashboard is drawn for the first time. */
export function registerTiles(registered: Tiles): void {
  tiles = registered;
}

/** A chart that is of no node. */
export function AlertTile({ chart }: { chart: ChartDraft }) {
  const range = useBoard((state) => state.view.range ?? documentOf(state).range ?? "");
  const Tile = tiles[chart.type];
  return Tile ? <Tile chart={chart} range={range} /> : null;
}
