import { ALERT_TILES } from "../alerts/tiles";
import { registerTiles } from "../dashboards/alertTiles";

registerTiles(ALERT_TILES);

export { PublicBoardPage } from "../dashboards/PublicBoardPage";
export { DashboardPage } from "../dashboards/DashboardPage";
