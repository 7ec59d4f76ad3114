import { ALERT_TILES } from "../alerts/tiles";
import { registerTiles } from "../dashboards/alertTiles";

registerTiles(ALERT_TILES);

export { DashboardPage } from "../dashboards/DashboardPage";
