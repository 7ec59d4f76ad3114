import "react-grid-layout/css/styles.css";
import "../live/lanes.css";
import "./dashboards.css";
import "./charts.css";
import "./kiosk.css";
import { useEffect } from "react";
import { getConnection } from "../core/socket/pageConnection";
import { Kiosk } from "./Kiosk";
import { loadPublicBoard } from "./publicBoard";

const AGAIN_MS = 15_000;

/** The dashboard of a public link: the wall, for whoever has the link. */
export function PublicBoardPage() {
  useEffect(() => {
    void loadPublicBoard();
    const look = () => {
      if (!document.hidden) void loadPublicBoard();
    };
    const timer = window.setInterval(look, AGAIN_MS);
    const end = getConnection().observe((state) => state === "open" && look());
    // Another link in the same tab.
    const reload = () => window.location.reload();
    window.addEventListener("hashchange", reload);
    return () => {
      window.clearInterval(timer);
      end();
      window.removeEventListener("hashchange", reload);
    };
  }, []);
  return <Kiosk />;
}
